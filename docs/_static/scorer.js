// The order of the results of a search; Sphinx copies this into its search script.
// A match of a title or topic counts most. Among equal ones, layers come before functions, functions
// before the other modules, and pages of single names before lists of names.
const AREAS = [
  [/^reference\/mindspore\.nn\.[A-Z]/, 5],
  [/^reference\/mindspore\.ops\.[A-Z]/, 1],
  [/^reference\/mindspore\.(ops|dataset|train|amp)\.\w+/, 4],
  [/^reference\/mindspore\.[A-Za-z_]+$/, 3],
  [/^reference\/mindspore\.mint\./, 2],
];

var Scorer = {
  score: ([page, title, anchor, description, score, file, kind]) => {
    const area = AREAS.find(([pattern]) => pattern.test(page));
    return score + (area ? area[1] : 0);
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
