#ifndef PMUFAB_LINUX_FS_H
#define PMUFAB_LINUX_FS_H
struct seq_file;
struct file_operations {
  int (*show)(struct seq_file* file, void* data); /* all that a file of debugfs can do here */
};
#endif
