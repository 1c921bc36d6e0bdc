import type { CaseList } from './case';
import { runCase } from './run-case';

/** The number of cases of one list that passed, and the differences of the others. */
export interface ListResult {
  readonly name: string;
  readonly passed: number;
  readonly differences: readonly string[];
}

/** Runs the cases in order: cases of intake depend on earlier ones. */
export const runList = async ({ name, cases }: CaseList): Promise<ListResult> => {
  const differences: string[] = [];
  for (const each of cases) {
    const difference = await runCase(each);
    if (difference !== undefined) differences.push(`${each.title}\n${difference}`);
  }
  return { name, passed: cases.length - differences.length, differences };
};
