#include "solvers/run/overlap_advice.h"

#include <math.h>
#include <stdio.h>

/* With two digits, never less than it is. */
static double round_up(double x) {
  const double unit = pow(10., floor(log10(x)) - 1.);
  return unit * ceil(x / unit * (1. - 1e-12));
}

/* Of an impact ½ μ v² becomes ½ k x² or 2/5 k √R x^5/2, a weight F is k x or k √R x^3/2. */
void cairn_overlap_advice_text(const struct cairn_scenario *s, double overlap, double recommended, char *text,
                               size_t size) {
  const bool hertz = s->law == CAIRN_LAW_hertz;
  const double ratio = overlap / s->overlap_limit, impact = pow(ratio, hertz ? 2.5 : 2.),
               weight = hertz ? pow(ratio, 1.5) : ratio;
  if (s->method == CAIRN_METHOD_CONTACT_DYNAMICS)
    snprintf(text, size, "a smaller time.step or solver.tolerance is advised");
  else if (recommended > 0. && s->time_step > 1.001 * recommended)
    snprintf(text, size, "take the recommended time.step of %.4g s first", recommended);
  else
    snprintf(text, size,
             "a %s %.3g times larger keeps impacts like this one within the limit (%.3g times if it is weight), with "
             "steps %.2g times shorter",
             hertz ? "young_modulus" : "stiffness", round_up(impact), round_up(weight), sqrt(impact));
}
