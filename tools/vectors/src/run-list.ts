import type { CaseList } from './case';
import { runCase } from './run-case';

/** How many cases of one list passed, and what is wrong with the others. */
export interface ListResult {
  readonly name: string;
  readonly passed: number;
  readonly differences: readonly string[];
}

/** One case after the other: cases of intake stand in one sequence. */
export const runList = async ({ name, cases }: CaseList): Promise<ListResult> => {
  const differences: string[] = [];
  for (const each of cases) {
    const difference = await runCase(each);
    if (difference !== undefined) differences.push(`${each.title}\n${difference}`);
  }
  return { name, passed: cases.length - differences.length, differences };
};
