/* Bodies in many packets: cut by counts alone, merged, and captured back into a state. */
#include "contacts.h"
#include "tap/tap.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "data/base/random.h"
#include "data/cells/cut.h"
#include "data/cells/packet.h"

enum { N = 3000, MOST_CHUNKS = 8 };
static const uint32_t MEMORY = CAIRN_CONTACT_REMEMBERS(spring);

/* Every third body touches the next two, every fifth a wall at two places; some were removed. */
static void make_state(struct cairn_state *s, double clump) {
  struct cairn_random random;
  cairn_random_init(&random, 11, 0, 0);
  if (cairn_state_resize(s, N, NULL) || cairn_state_remember(s, MEMORY, NULL) ||
      cairn_state_resize_contacts(s, 2 * N, 2 * N, NULL))
    BAIL_OUT("out of memory");
  int64_t n = 0, n_walls = 0;
  for (int64_t i = 0; i < N; i++) {
    s->radius[i] = 0.01 * cairn_random_between(&random, 1., 2.);
    s->mass[i] = cairn_random_between(&random, 1., 2.);
    s->material[i] = (int32_t)(i % 3);
    s->captor[i] = i % 97 == 96 ? -1 : 0;
    s->capture_time[i] = s->captor[i] ? 0.5 : 0.;
    for (int64_t k = 3 * i; k < 3 * i + 3; k++) {
      s->position[k] = pow(cairn_random_unit(&random), clump);
      s->velocity[k] = cairn_random_normal(&random);
      s->spin[k] = cairn_random_normal(&random);
      s->acceleration[k] = cairn_random_normal(&random);
      s->angular_acceleration[k] = cairn_random_normal(&random);
      s->gravity[k] = cairn_random_normal(&random);
      s->reference[k] = cairn_random_normal(&random);
    }
    for (int32_t k = 1; k < 3 && i % 3 == 0 && i + k < N; k++) {
      *pair_of(s, n) = (struct cairn_contact){(int32_t)i, (int32_t)i + k, 0, (uint32_t)(1 + n)};
      cairn_contact_numbers(pair_of(s, n))[k] = (double)i;
      n += s->captor[i] == 0 && (i + k) % 97 != 96;
    }
    for (uint32_t k = 0; k < 2 && i % 5 == 0 && s->captor[i] == 0; k++)
      *touch_of(s, n_walls++) = (struct cairn_contact){(int32_t)i, 1, k, (uint32_t)(1 + n_walls)};
  }
  if (cairn_state_resize_contacts(s, n, n_walls, NULL))
    BAIL_OUT("out of memory");
}

/* Chunks of a state, each in Morton order, and their cut. */
struct chunks {
  int32_t n;
  struct cairn_packet *packet[MOST_CHUNKS];
  struct cairn_morton *entry[MOST_CHUNKS];
  struct cairn_cut_list list[MOST_CHUNKS];
  struct cairn_packet_summary summary;
};

static struct chunks make_chunks(const struct cairn_state *s, int32_t n) {
  struct chunks c = {.n = n, .summary = cairn_packet_summary_of_none()};
  for (int32_t i = 0; i < n; i++) {
    const int64_t first = s->n * i / n, end = s->n * (i + 1) / n;
    cairn_packet_of_state(s, 0, NULL, first, (int32_t)(end - first), true, MEMORY, &c.packet[i]);
    if (!c.packet[i])
      BAIL_OUT("out of memory");
    const struct cairn_packet_summary summary = cairn_packet_summarise(c.packet[i], 0.1, NULL);
    cairn_packet_join(&c.summary, &summary);
  }
  for (int32_t i = 0; i < n; i++) {
    c.entry[i] = cairn_packet_order(c.packet[i], c.summary.lower, cairn_morton_scale(c.summary.lower, c.summary.upper),
                                    &c.list[i].n);
    c.list[i].entry = c.entry[i];
  }
  return c;
}

static void free_chunks(struct chunks *c) {
  for (int32_t i = 0; i < c->n; i++) {
    free(c->packet[i]);
    free(c->entry[i]);
  }
}

/* Part by part the bodies that sorting them all gives. */
static void compare_cut(const struct cairn_state *s, const struct chunks *c, const struct cairn_cut *cut,
                        int64_t max_bodies) {
  struct cairn_morton *entry = malloc(2 * N * sizeof *entry);
  int64_t *end = malloc(N * sizeof *end), n = 0;
  if (!entry || !end)
    BAIL_OUT("out of memory");
  for (int64_t i = 0; i < N; i++)
    if (s->captor[i] >= 0)
      entry[n++].id = (int32_t)i;
  cairn_morton_order(s->position, entry, entry + N, n);
  const int32_t n_parts = cairn_morton_cut(entry, n, max_bodies, end);
  char *member = malloc(N);
  int same = cut->n == n_parts && member != NULL;
  for (int32_t p = 0; p < n_parts && same; p++) {
    const int64_t from = p > 0 ? end[p - 1] : 0;
    int64_t found = 0;
    memset(member, 0, N);
    for (int64_t i = from; i < end[p]; i++)
      member[entry[i].id] = 1;
    for (int32_t r = cut->part[p].first; r < cut->part[p].first + cut->part[p].n_ranges; r++)
      for (int32_t k = cut->range[r].from; k < cut->range[r].to; k++) {
        const struct cairn_morton *e = c->list[cut->range[r].list].entry + k;
        found += member[cairn_packet_bodies(c->packet[cut->range[r].list])[e->id].id];
      }
    same = cut->part[p].n == end[p] - from && found == cut->part[p].n;
  }
  ok(same, "%d packets, at most %lld bodies: %d parts with the bodies of a sort of all", c->n, (long long)max_bodies,
     cut->n);
  free(member);
  free(entry);
  free(end);
}

/* New packets by the cut, and all of them back in a state. */
static void round_trip(const struct cairn_state *s, int32_t n, int64_t max_bodies) {
  struct chunks c = make_chunks(s, n);
  struct cairn_cut cut;
  struct cairn_state back = {0};
  char digest[2][CAIRN_DIGEST_LENGTH + 1];
  if (cairn_cut_make(c.list, n, max_bodies, NULL, NULL, &cut) || cairn_state_resize(&back, N, NULL))
    BAIL_OUT("out of memory");
  compare_cut(s, &c, &cut, max_bodies);
  struct cairn_packet **packet = calloc((size_t)cut.n + (size_t)n, sizeof *packet);
  int sorted = packet != NULL;
  for (int32_t p = 0; p < cut.n && packet; p++) {
    struct cairn_packet_part part[MOST_CHUNKS];
    for (int32_t r = 0; r < cut.part[p].n_ranges; r++) {
      const struct cairn_cut_range range = cut.range[cut.part[p].first + r];
      part[r] =
          (struct cairn_packet_part){c.packet[range.list], c.entry[range.list] + range.from, range.to - range.from};
    }
    packet[p] = cairn_packet_merge(part, cut.part[p].n_ranges, true, MEMORY);
    for (int32_t i = 1; packet[p] && i < packet[p]->n; i++)
      sorted &= cairn_packet_bodies(packet[p])[i - 1].id < cairn_packet_bodies(packet[p])[i].id;
  }
  ok(sorted, "new packets are in the order of ids");
  for (int32_t i = 0; i < n && packet; i++) /* the removed bodies are in no part */
    packet[cut.n + i] = c.packet[i];
  if (cairn_packet_capture(packet + cut.n, n, &back, MEMORY, NULL))
    BAIL_OUT("out of memory");
  for (int64_t i = 0; i < N; i++)
    back.velocity[3 * i] = s->captor[i] < 0 ? back.velocity[3 * i] : NAN;
  if (cairn_packet_capture(packet, cut.n, &back, MEMORY, NULL))
    BAIL_OUT("out of memory");
  cairn_state_digest(s, digest[0]);
  cairn_state_digest(&back, digest[1]);
  is(digest[1], digest[0], "the state comes back, with %lld contacts and %lld at walls", (long long)s->contacts.n,
     (long long)s->wall_contacts.n);
  free(packet[0]);
  packet[0] = NULL;
  if (cairn_packet_capture(packet, cut.n, &back, MEMORY, NULL))
    BAIL_OUT("out of memory");
  if (max_bodies > 1) /* one body may have no contacts */
    ok(back.contacts.n < s->contacts.n, "a packet that is missing is missed");
  for (int32_t p = 1; p < cut.n; p++)
    free(packet[p]);
  free(packet);
  cairn_state_fini(&back);
  cairn_cut_fini(&cut);
  free_chunks(&c);
}

/* The bodies of packets in slabs by id: of all of them, added up, the digest of the state; if a body has just been
 * removed (-1: none), without its contacts, also where these are in another slab. */
static void slabs(const struct cairn_state *s, int32_t n, int64_t size, int32_t removed) {
  struct chunks c = make_chunks(s, n);
  for (int32_t p = 0; p < n; p++)
    for (int32_t i = 0; i < c.packet[p]->n; i++)
      if (cairn_packet_bodies(c.packet[p])[i].id == removed)
        cairn_packet_bodies(c.packet[p])[i].captor = -1;
  struct cairn_packet_gone gone = {0};
  struct cairn_state slab = {0};
  struct cairn_state_sum sum = {0};
  int32_t next[MOST_CHUNKS] = {0}, id[N];
  int64_t n_contacts = 0;
  char digest[2][CAIRN_DIGEST_LENGTH + 1];
  gone.id = cairn_packet_list_gone(c.packet, n, &gone.n);
  if (!gone.id)
    BAIL_OUT("out of memory");
  cairn_packet_sort_gone(&gone);
  for (int64_t first = 0; first < N; first += size) {
    const int64_t end = first + size < N ? first + size : N;
    struct cairn_packet *packet = cairn_packet_take_slab(c.packet, n, end, next, true, MEMORY);
    if (!packet || cairn_state_resize(&slab, end - first, NULL) ||
        cairn_packet_capture_slab(&packet, 1, &(struct cairn_packet_slab){first, &slab, &gone}, MEMORY, NULL))
      BAIL_OUT("out of memory");
    for (int64_t i = 0; i < slab.n; i++)
      id[i] = (int32_t)(first + i);
    cairn_state_sum_bodies(&sum, &slab, id);
    const struct cairn_contacts *list[2] = {&slab.contacts, &slab.wall_contacts};
    for (int l = 0; l < 2; l++)
      for (int64_t k = 0; k < list[l]->n; k++)
        cairn_state_sum_contact(&sum, cairn_contact_at(list[l], k), list[l]->size, l == 1);
    n_contacts += slab.contacts.n;
    free(packet);
  }
  cairn_state_sum_head(&sum, s);
  cairn_state_sum_digest(&sum, digest[0]);
  cairn_state_digest(s, digest[1]);
  int64_t n_left = 0;
  for (int64_t k = 0; k < s->contacts.n; k++)
    n_left += cairn_contact_at(&s->contacts, k)->a != removed && cairn_contact_at(&s->contacts, k)->b != removed;
  cmp_ok(n_contacts, "==", n_left, "slabs of %lld: all contacts, once", (long long)size);
  ok(removed >= 0 ? n_left < s->contacts.n : strcmp(digest[0], digest[1]) == 0, "and the digest of the state");
  cairn_state_fini(&slab);
  free(gone.id);
  free_chunks(&c);
}

/* Processes that have some of the packets each, as threads: they add up their counts in turn. */
enum { N_RANKS = 3 };
static struct {
  pthread_barrier_t barrier;
  int64_t count[N_RANKS][2 * N];
} shared;
struct rank {
  int rank;
  const struct chunks *chunks;
  struct cairn_cut cut;
};

static int add_counts(void *context, int64_t *count, int32_t n) {
  const struct rank *rank = context;
  memcpy(shared.count[rank->rank], count, (size_t)n * sizeof *count);
  pthread_barrier_wait(&shared.barrier);
  for (int32_t k = 0; k < n; k++) {
    count[k] = 0;
    for (int r = 0; r < N_RANKS; r++)
      count[k] += shared.count[r][k];
  }
  pthread_barrier_wait(&shared.barrier);
  return 0;
}

static void *cut_part(void *context) {
  struct rank *rank = context;
  struct cairn_cut_list list[MOST_CHUNKS] = {{0}};
  for (int32_t i = rank->rank; i < rank->chunks->n; i += N_RANKS)
    list[i] = rank->chunks->list[i];
  if (cairn_cut_make(list, rank->chunks->n, 100, add_counts, rank, &rank->cut))
    BAIL_OUT("out of memory");
  return NULL;
}

/* Nobody has all bodies, and all make the same parts. */
static void test_ranks(const struct cairn_state *s) {
  struct chunks c = make_chunks(s, MOST_CHUNKS);
  struct cairn_cut whole;
  struct rank rank[N_RANKS];
  pthread_t thread[N_RANKS];
  if (cairn_cut_make(c.list, c.n, 100, NULL, NULL, &whole) || pthread_barrier_init(&shared.barrier, NULL, N_RANKS))
    BAIL_OUT("out of memory");
  for (int r = 0; r < N_RANKS; r++) {
    rank[r] = (struct rank){.rank = r, .chunks = &c};
    if (pthread_create(thread + r, NULL, cut_part, rank + r))
      BAIL_OUT("no thread");
  }
  int same = 1;
  for (int r = 0; r < N_RANKS; r++) {
    pthread_join(thread[r], NULL);
    same &= rank[r].cut.n == whole.n;
  }
  for (int32_t p = 0; p < whole.n && same; p++) {
    int64_t n = 0;
    for (int r = 0; r < N_RANKS; r++) {
      const struct cairn_cut_part *part = rank[r].cut.part + p;
      same &= part->n == whole.part[p].n;
      for (int32_t k = part->first; k < part->first + part->n_ranges; k++)
        n += rank[r].cut.range[k].to - rank[r].cut.range[k].from;
    }
    same &= n == whole.part[p].n;
  }
  ok(same, "%d processes with a part of the packets each make the %d parts of one", N_RANKS, whole.n);
  for (int r = 0; r < N_RANKS; r++)
    cairn_cut_fini(&rank[r].cut);
  pthread_barrier_destroy(&shared.barrier);
  cairn_cut_fini(&whole);
  free_chunks(&c);
}

static void test_summary(const struct cairn_state *s) {
  struct chunks one = make_chunks(s, 1), many = make_chunks(s, 7);
  double most = 0.;
  for (int64_t i = 0; i < N; i++) {
    double speed2 = 0.;
    for (int64_t k = 3 * i; k < 3 * i + 3 && s->captor[i] >= 0; k++)
      speed2 += (s->velocity[k] + 0.1 * s->acceleration[k]) * (s->velocity[k] + 0.1 * s->acceleration[k]);
    most = fmax(most, speed2);
  }
  ok(memcmp(&one.summary, &many.summary, sizeof one.summary) == 0, "the summary does not depend on the packets");
  ok(many.summary.speed2 == most && many.summary.n_removed == N / 97, "largest speed and removed bodies");
  const double bounds[2][3] = {{0.1, 0., 0.}, {1., 1., 1.}};
  const struct cairn_packet_summary first = cairn_packet_summarise(one.packet[0], 0.1, bounds),
                                    again = cairn_packet_summarise(one.packet[0], 0.1, bounds);
  ok(first.n_outside > 0 && first.n_escaped == first.n_outside, "bodies beyond the bounds have escaped");
  ok(again.n_outside == first.n_outside && again.n_escaped == 0, "but only once");
  free_chunks(&one);
  free_chunks(&many);
}

int main(void) {
  static const int64_t sizes[] = {1, 40, 700, 100000};
  plan(NO_PLAN);
  for (int clump = 1; clump < 6; clump += 4) {
    struct cairn_state s = {0};
    make_state(&s, clump);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
      for (int32_t n = 1; n <= MOST_CHUNKS; n += 7)
        round_trip(&s, n, sizes[k]);
    if (clump == 1)
      test_summary(&s);
    test_ranks(&s);
    for (int32_t n = 1; n <= MOST_CHUNKS; n += 7)
      for (int32_t removed = -1; removed < 101; removed += 101) { /* 99 and 100 touch, in different slabs */
        slabs(&s, n, 100, removed);
        slabs(&s, n, N, removed);
      }
    cairn_state_fini(&s);
  }
  done_testing();
}
