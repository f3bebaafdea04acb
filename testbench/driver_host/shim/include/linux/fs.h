#ifndef PMUFAB_LINUX_FS_H
#define PMUFAB_LINUX_FS_H
struct seq_file;
struct file_operations {
  int (*show)(struct seq_file* file, void* data);
};
#endif
