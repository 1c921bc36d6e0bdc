import { appendFileSync } from 'node:fs';
import { cells, heading, option, print, textOption } from '../table';
import type { Measurement } from './figures';
import { ROUTER_CASES, type RouterCase } from './router-case';
import { runCase } from './run-case';

/** The chosen cases. @throws Error when there is no case of a name. */
const chosen = (names: string | undefined): readonly RouterCase[] => {
  if (names === undefined) return ROUTER_CASES;
  return names.split(',').map((name) => {
    const found = ROUTER_CASES.find((each) => each.name === name);
    if (found !== undefined) return found;
    throw new Error(
      `no case ${name}; there are ${ROUTER_CASES.map((each) => each.name).join(', ')}`,
    );
  });
};

/**
 * Measures the way from intake to destinations, through filters, transformations and lanes: `--only NAME,…` chooses
 * cases, `--seconds N` is the length of each measurement, `--rate N` the events per second of the steady one, `--out
 * FILE` gets a line of JSON for each case, `--profile` shows the CPU of the services by origin of the code during the
 * steady measurement, or while late events were in flight.
 */
export const measureRouter = async (): Promise<void> => {
  const seconds = option('seconds', 10);
  const out = textOption('out');
  for (const each of chosen(textOption('only'))) {
    const figures = await runCase(each, seconds, option('rate', 0) || undefined);
    print();
    print(heading(each.name, ''));
    for (const [name, value] of Object.entries(figures)) print(cells(name, value));
    const measurement: Measurement = { case: each.name, figures };
    if (out !== undefined) appendFileSync(out, `${JSON.stringify(measurement)}\n`);
  }
};
