/* For scripts: helper_fclib chain N local|global FILE makes the chain of fclib_sample.h; helper_fclib show FILE NAME
 * prints the numbers of a dataset, one per line. */
#include "fclib_sample.h"

int main(int argc, char **argv) {
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  if (argc == 5 && strcmp(argv[1], "chain") == 0) {
    sample_chain(argv[4], atoi(argv[2]), 2., strcmp(argv[3], "local") == 0);
    return 0;
  }
  if (argc == 4 && strcmp(argv[1], "show") == 0) {
    int n;
    double *x = sample_read(argv[2], argv[3], &n);
    for (int i = 0; i < n; i++)
      printf("%.17g\n", x[i]);
    free(x);
    return n < 0;
  }
  fprintf(stderr, "usage: helper_fclib chain N local|global FILE | show FILE NAME\n");
  return 2;
}
