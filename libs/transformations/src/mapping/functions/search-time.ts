import { Fault } from '../expression/fault';

/** For all searches of a record, in milliseconds: some thousand times what an ordinary one needs. */
const BASE_MS = 200;
/** In addition for each UTF-16 unit of the longest text: five times what a match of every one of them needs. */
const MS_A_UNIT = 0.01;
/** In any case; reached by texts of half a million units. */
const MOST_MS = 5_000;

/** Of the record that is being mapped: it is mapped without a pause, so that no two are under way at once. */
let spentMs = 0;
let longest = 0;
let cpuBefore: NodeJS.CpuUsage | undefined;

/** The next searches are those of another record. */
export const beginSearches = (): void => {
  spentMs = 0;
  longest = 0;
  cpuBefore = undefined;
};

/** Whether this process was at work for so long: a machine that stands still fails no record. */
const hasWorkedFor = (ms: number): boolean => {
  const { user, system } = process.cpuUsage(cpuBefore);
  return (user + system) / 1_000 > ms;
};

/**
 * Searches a text by a regular expression, within the time that all searches of the record have together. Finding one match
 * takes linear time, finding all of them may take quadratic time (`x*y|x` in a row of `x`), and a mapping may have thousands
 * of searches.
 *
 * @param search calls its argument after each match.
 * @throws Fault when the searches of the record take too long.
 */
export const withinSearchTime = <T>(text: string, search: (check: () => void) => T): T => {
  cpuBefore ??= process.cpuUsage();
  longest = Math.max(longest, text.length);
  const limitMs = Math.min(MOST_MS, BASE_MS + longest * MS_A_UNIT);
  const startMs = performance.now();
  const check = (): void => {
    if (spentMs + performance.now() - startMs > limitMs && hasWorkedFor(limitMs))
      throw new Fault('searches by regular expressions take too long', text);
  };
  check();
  try {
    return search(check);
  } finally {
    spentMs += performance.now() - startMs;
  }
};
