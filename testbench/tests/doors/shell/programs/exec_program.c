// SPDX-License-Identifier: Apache-2.0
/* exec_program FUNCTION FILE: becomes FILE by a function of the exec family, with two words and, if the function takes
 * one, with an environment of its own. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char** environ;

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const char* const function = arguments[1];
  char* const file = arguments[2];
  char* const words[] = {file, "one", "two", NULL};
  if (strcmp(function, "execl") == 0) execl(file, file, "one", "two", (char*)NULL);
  if (strcmp(function, "execlp") == 0) execlp(file, file, "one", "two", (char*)NULL);
  setenv("PMUFAB_TEST", "new", 1);
  if (strcmp(function, "execle") == 0) execle(file, file, "one", "two", (char*)NULL, environ);
  const int fd = open(file, O_RDONLY);
  if (strcmp(function, "fexecve") == 0) fexecve(fd, words, environ);
  if (strcmp(function, "execveat-empty") == 0) execveat(fd, "", words, environ, AT_EMPTY_PATH);
  char* const name = strrchr(file, '/');
  *name = '\0';
  const int folder = open(file, O_RDONLY | O_DIRECTORY);
  if (strcmp(function, "execveat") == 0) execveat(folder, name + 1, words, environ, 0);
  perror(function);
  return 2;
}
