#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/report.h"
#include "data/base/number.h"
#include "view/scene/film.h"
#include "view/scene/movie.h"

#define COLORING_WORD(name, unit) " " #name
#define MAP_WORD(name, description) " " #name

static int choose(const struct cairn_options *options, struct cairn_film_options *film, struct cairn_error *error) {
  *film = (struct cairn_film_options){.width = options->width ? options->width : 1920,
                                      .height = options->height ? options->height : 1080,
                                      .view = options->view ? options->view : "iso",
                                      .follow = options->follow && strcmp(options->follow, "largest") == 0,
                                      .zoom = options->zoom > 0. ? options->zoom : 1.,
                                      .coloring = cairn_coloring_of(options->color ? options->color : "speed"),
                                      .map = cairn_color_map_of(options->map ? options->map : "dusk"),
                                      .white = options->background && strcmp(options->background, "white") == 0,
                                      .legend = true};
  if (film->coloring == CAIRN_N_COLORINGS)
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "--color: found '%.80s', expected one of" CAIRN_COLORINGS(COLORING_WORD), options->color);
  if (film->map == CAIRN_N_COLOR_MAPS)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "--map: found '%.80s', expected one of" CAIRN_COLOR_MAPS(MAP_WORD),
                           options->map);
  if (options->follow && !film->follow && strcmp(options->follow, "none"))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "--follow: found '%.80s', expected largest or none",
                           options->follow);
  if (options->background && !film->white && strcmp(options->background, "dark"))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "--background: found '%.80s', expected dark or white",
                           options->background);
  return 0;
}

/* The frames first … last that are asked for. */
static int choose_frames(const struct cairn_options *options, const struct cairn_run_record *run, int64_t *first,
                         int64_t *last, struct cairn_error *error) {
  const char *frame = options->movie ? "all" : options->frame ? options->frame : "last";
  const int64_t n = run->n_frames;
  int64_t k;
  if (n == 0)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "the run %s has no frames to draw", run->name);
  *first = strcmp(frame, "all") ? n - 1 : 0;
  *last = n - 1;
  if (strcmp(frame, "all") == 0 || strcmp(frame, "last") == 0)
    return 0;
  if (!cairn_number_parse_integer(frame, &k) || k >= n || k < -n)
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "--frame: found '%.80s', expected last, all or a number from %lld to %lld", frame,
                           (long long)-n, (long long)(n - 1));
  *first = *last = k < 0 ? k + n : k;
  return 0;
}

struct target {
  const char *name; /* of the run, or --output without its ending */
  bool several, overwrite;
};

static int name_picture(const struct target *target, int64_t frame, char path[4096], struct cairn_error *error) {
  struct stat about;
  if (target->several)
    snprintf(path, 4096, "%.4000s_%06lld.png", target->name, (long long)frame);
  else
    snprintf(path, 4096, "%.4000s.png", target->name);
  if (!target->overwrite && !lstat(path, &about))
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "%.900s exists: choose another name with --output, or replace it "
                           "with --overwrite",
                           path);
  return 0;
}

static int draw_pictures(const struct cairn_film *film, const struct target *target, int64_t first, int64_t last,
                         struct cairn_error *error) {
  struct cairn_image image;
  char path[4096];
  int status = cairn_image_init(&image, film->options.width, film->options.height, error);
  for (int64_t frame = first; frame <= last && !status; frame++)
    status = name_picture(target, frame, path, error); /* before anything is drawn */
  for (int64_t frame = first; frame <= last && !status; frame++) {
    status = cairn_film_draw(film, frame, &image, error);
    if (!status && !(status = name_picture(target, frame, path, error)))
      status = cairn_image_write(&image, path, error);
  }
  if (!status)
    cairn_report_field(stdout, "written", "%s%s", path, first < last ? " and those before it" : "");
  cairn_image_fini(&image);
  return status;
}

static int draw_movie(const struct cairn_film *film, const struct target *target, int64_t first, int64_t last,
                      struct cairn_error *error) {
  struct cairn_image image = {0};
  struct cairn_movie movie;
  struct stat about;
  char path[4096];
  snprintf(path, sizeof path, "%.4000s.mp4", target->name);
  if (!target->overwrite && !lstat(path, &about))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "%.900s exists: replace it with --overwrite", path);
  int status = cairn_movie_begin(&movie, path, film->options.width, film->options.height, error);
  if (status)
    return status;
  status = cairn_image_init(&image, film->options.width, film->options.height, error);
  for (int64_t frame = first; frame <= last && !status; frame++) {
    status = cairn_film_draw(film, frame, &image, error);
    if (!status)
      status = cairn_movie_add(&movie, &image, error);
  }
  const int ended = cairn_movie_end(&movie, status == 0, status ? NULL : error);
  status = status ? status : ended;
  if (!status)
    cairn_report_field(stdout, "written", "%s: %lld frames", path, (long long)(last - first + 1));
  cairn_image_fini(&image);
  return status;
}

/* `name` without the ending of the format. Of another format, as .jpg, it is refused; 'run_0.5' has no ending. */
static int cut_ending(char *name, bool movie, struct cairn_error *error) {
  const char *const format = movie ? "mp4" : "png";
  char *dot = strrchr(name, '.');
  const size_t length = dot ? strlen(dot + 1) : 0;
  if (length < 3 || length > 5 || strchr(dot, '/') || !isalpha((unsigned char)dot[1]))
    return 0;
  if (strcmp(dot + 1, format))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "--output: found '%.300s', expected %s, or no ending", name,
                           movie ? "the ending .mp4 with --movie" : "the ending .png, or .mp4 with --movie");
  *dot = '\0';
  return 0;
}

static int draw(const struct cairn_options *options, const struct cairn_run_record *run, struct cairn_error *error) {
  struct cairn_film_options choice;
  struct cairn_film film;
  int64_t first = 0, last = 0;
  char name[4096];
  snprintf(name, sizeof name, "%.4000s", options->output ? options->output : run->name);
  int status = options->output ? cut_ending(name, options->movie, error) : 0;
  if (!status)
    status = choose(options, &choice, error);
  if (!status)
    status = choose_frames(options, run, &first, &last, error);
  if (!status)
    status = cairn_film_open(run, &choice, &film, error);
  if (status)
    return status;
  if (film.walls.lacks_meshes)
    fprintf(stderr, "cairn render: the trajectory has no triangles of its mesh walls: they are not drawn\n");
  const struct target target = {name, first < last, options->overwrite};
  const struct cairn_engine_options engine = {.workers = options->workers, .device = CAIRN_ENGINE_CPU, .silent = 1};
  status = cairn_engine_start(&engine, error);
  if (!status) {
    status = (options->movie ? draw_movie : draw_pictures)(&film, &target, first, last, error);
    cairn_engine_stop();
  }
  cairn_film_close(&film);
  return status;
}

static int execute(const struct cairn_options *options, struct cairn_error *error) {
  struct cairn_run_record run;
  int status = cairn_run_record_read(options->operands[0], &run, error);
  if (status)
    return status;
  status = draw(options, &run, error);
  cairn_run_record_fini(&run);
  return status;
}

const struct cairn_command cairn_command_render = {
    .name = "render",
    .operands = "RUN",
    .summary = "pictures of the frames of a run, or a movie",
    .help =
        "RUN is the NAME of a run, or one of its files. Writes NAME.png, with --frame all NAME_000000.png, … and with\n"
        "--movie NAME.mp4. No display is needed. The range of colors is that of nearly all bodies in all frames.",
    .options = CAIRN_OPTION_VIEW | CAIRN_OPTION_FOLLOW | CAIRN_OPTION_ZOOM | CAIRN_OPTION_COLOR | CAIRN_OPTION_MAP |
               CAIRN_OPTION_SIZE | CAIRN_OPTION_FRAME | CAIRN_OPTION_MOVIE | CAIRN_OPTION_BACKGROUND |
               CAIRN_OPTION_OUTPUT_FILE | CAIRN_OPTION_OVERWRITE | CAIRN_OPTION_WORKERS,
    .min_operands = 1,
    .max_operands = 1,
    .takes = CAIRN_FILE_RUN,
    .execute = execute,
};
