#include "solvers/simulation/ranks/notes.h"

#include <stdlib.h>
#include <string.h>

int64_t cairn_sim_notes_first(int64_t n_bodies, int rank) { return n_bodies * rank / cairn_ranks_n(); }

static int rank_of(int64_t n_bodies, int64_t id) {
  int rank = (int)(id * cairn_ranks_n() / n_bodies);
  while (rank > 0 && cairn_sim_notes_first(n_bodies, rank) > id)
    rank--;
  while (cairn_sim_notes_first(n_bodies, rank + 1) <= id)
    rank++;
  return rank;
}

void cairn_sim_notes_open(struct cairn_sim_notes *notes, int64_t n_bodies) {
  *notes = (struct cairn_sim_notes){.n_bodies = n_bodies,
                                    .mail = calloc((size_t)cairn_ranks_n(), sizeof *notes->mail),
                                    .room = calloc((size_t)cairn_ranks_n(), sizeof *notes->room)};
  if (!notes->mail || !notes->room)
    cairn_ranks_out_of_memory("what ranks tell of bodies");
}

void cairn_sim_notes_post(struct cairn_sim_notes *notes, int32_t body, int32_t other) {
  const int q = rank_of(notes->n_bodies, body);
  const struct cairn_sim_note note = {body, other};
  struct cairn_ranks_mail *mail = notes->mail + q;
  if (mail->bytes + (int64_t)sizeof note > notes->room[q]) {
    notes->room[q] = 2 * notes->room[q] + 4096;
    char *longer = realloc(mail->data, (size_t)notes->room[q]);
    if (!longer) {
      cairn_ranks_out_of_memory("what ranks tell of bodies");
      return;
    }
    mail->data = longer;
  }
  memcpy((char *)mail->data + mail->bytes, &note, sizeof note);
  mail->bytes += (int64_t)sizeof note;
}

int64_t cairn_sim_notes_deliver(struct cairn_sim_notes *notes, void (*take)(void *context, struct cairn_sim_note note),
                                void *context) {
  struct cairn_ranks_mail *in = cairn_ranks_exchange(notes->mail);
  int64_t n_notes = 0;
  free(notes->room);
  *notes = (struct cairn_sim_notes){0};
  for (int q = 0; q < cairn_ranks_n() && in; q++) {
    const struct cairn_sim_note *note = in[q].data;
    const int64_t n = in[q].bytes / (int64_t)sizeof *note;
    for (int64_t k = 0; k < n; k++)
      take(context, note[k]);
    n_notes += n;
  }
  cairn_ranks_mail_free(in);
  cairn_ranks_sum(&n_notes, 1);
  return n_notes;
}
