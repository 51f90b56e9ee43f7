/* The remaining time goes by the speed of now. */
#include "solvers/run/pace.h"

#include "tap/tap.h"

int main(void) {
  plan(NO_PLAN);
  struct cairn_pace pace = cairn_pace_start(100., 7);
  ok(cairn_pace_each(&pace) < 0., "unknown at the start");
  double time = 100.;
  int64_t step = 7;
  for (int k = 0; k < 3000; k++)
    cairn_pace_note(&pace, time += 0.2, step += 20);
  tap_near(cairn_pace_each(&pace), 0.01, 1e-12, 0., "ten minutes at 10 ms a step");
  for (int k = 0; k < 450; k++) /* 90 s: three times the memory, e⁻³ of the weight is left to what was before */
    cairn_pace_note(&pace, time += 0.2, step += 2);
  /* over all 690 s the mean is 11.3 ms; weighed, 1 s in 20 is of the fast time: 1/(0.95/100 + 0.05/10) = 69 ms */
  ok(cairn_pace_each(&pace) > 0.06 && cairn_pace_each(&pace) < 0.1, "a minute and a half at 100 ms: %.3g s a step",
     cairn_pace_each(&pace));
  for (int k = 0; k < 3000; k++)
    cairn_pace_note(&pace, time += 0.2, step += 2);
  tap_near(cairn_pace_each(&pace), 0.1, 1e-6, 0., "what was fast is forgotten");
  done_testing();
}
