#include "tasks/ranks/parcel.h"

#include <stdlib.h>
#include <string.h>

static int64_t padded(int64_t bytes) { return (bytes + 7) & ~INT64_C(7); }

void cairn_parcel_add(struct cairn_ranks_mail *mail, int64_t number, const struct cairn_packet *packet) {
  const int64_t head = (int64_t)sizeof number, more = head + (packet ? padded(packet->bytes) : 0);
  char *longer = packet ? realloc(mail->data, (size_t)(mail->bytes + more)) : NULL;
  if (!longer) {
    cairn_ranks_out_of_memory("bodies that go to another rank");
    return;
  }
  mail->data = longer;
  memcpy(longer + mail->bytes, &number, sizeof number);
  memcpy(longer + mail->bytes + head, packet, (size_t)packet->bytes);
  mail->bytes += more;
}

struct cairn_packet *cairn_parcel_next(const struct cairn_ranks_mail *mail, int64_t *at, int64_t *number) {
  if (*at >= mail->bytes)
    return NULL;
  const char *from = (const char *)mail->data + *at;
  struct cairn_packet head;
  memcpy(number, from, sizeof *number);
  memcpy(&head, from + sizeof *number, sizeof head);
  struct cairn_packet *packet = malloc((size_t)head.bytes);
  if (packet)
    memcpy(packet, from + sizeof *number, (size_t)head.bytes);
  else
    cairn_ranks_out_of_memory("bodies from another rank");
  *at += (int64_t)sizeof *number + padded(head.bytes);
  return packet;
}
