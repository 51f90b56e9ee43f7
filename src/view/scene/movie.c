#include "view/scene/movie.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "data/storage/durable.h"

extern char **environ;

/* A socket in place of a pipe: what is sent to a program that is gone is an error then, and no signal. */
static int start(struct cairn_movie *movie, const char *size, struct cairn_error *error) {
  char target[4200];
  int ends[2];
  snprintf(target, sizeof target, "%s%s", movie->temporary[0] == '/' ? "" : "./", movie->temporary);
  const char *const words[] = {"ffmpeg",    "-nostdin",   "-y",      "-loglevel", "error", "-f",       "rawvideo",
                               "-pix_fmt",  "rgb24",      "-s",      size,        "-r",    "25",       "-i",
                               "pipe:0",    "-c:v",       "libx264", "-crf",      "18",    "-pix_fmt", "yuv420p",
                               "-movflags", "+faststart", "-f",      "mp4",       target,  NULL};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
    return cairn_error_set(error, CAIRN_ERR_IO, "cannot start ffmpeg: %s", strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  const int number = posix_spawnp(&movie->pid, "ffmpeg", &actions, NULL, (char *const *)words, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
  movie->link = ends[1];
  if (!number)
    return 0;
  close(ends[1]);
  movie->pid = 0;
  return cairn_error_set(error, CAIRN_ERR_INPUT,
                         "a movie needs ffmpeg, which cannot be started (%s): install it (apt-get install ffmpeg), or "
                         "write pictures with --frame all",
                         strerror(number));
}

int cairn_movie_begin(struct cairn_movie *movie, const char *path, int width, int height, struct cairn_error *error) {
  char size[32];
  *movie = (struct cairn_movie){.path = strdup(path), .temporary = cairn_durable_temporary(path, error)};
  snprintf(size, sizeof size, "%dx%d", width, height);
  int status = movie->path && movie->temporary ? start(movie, size, error) : CAIRN_ERR_IO;
  if (status) {
    if (movie->temporary)
      unlink(movie->temporary);
    free(movie->path);
    free(movie->temporary);
  }
  return status;
}

int cairn_movie_add(struct cairn_movie *movie, const struct cairn_image *image, struct cairn_error *error) {
  const size_t size = (size_t)image->width * (size_t)image->height * 3;
  for (size_t sent = 0; sent < size;) {
    const ssize_t n = send(movie->link, image->rgb + sent, size - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return cairn_error_set(error, CAIRN_ERR_IO, "ffmpeg has stopped before the movie was complete: %s",
                             strerror(errno));
    sent += (size_t)n;
  }
  return 0;
}

int cairn_movie_end(struct cairn_movie *movie, int keep, struct cairn_error *error) {
  int result = 0, status = 0;
  close(movie->link);
  while (waitpid(movie->pid, &result, 0) < 0 && errno == EINTR)
    ;
  if (keep && !(WIFEXITED(result) && WEXITSTATUS(result) == 0))
    status = cairn_error_set(error, CAIRN_ERR_IO, "ffmpeg could not write '%s'", movie->path);
  if (keep && !status && rename(movie->temporary, movie->path))
    status = cairn_durable_fail(error, "write", movie->path, errno);
  if (!keep || status)
    unlink(movie->temporary);
  free(movie->path);
  free(movie->temporary);
  return status;
}
