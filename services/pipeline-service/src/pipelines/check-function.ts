import { EVENT_SCHEMA } from '@penstock/contracts';
import { resolvePath, type Schema } from '@penstock/schema';
import type { Findings } from './findings';
import type { SubmittedFunction } from './read-transformation';

/** The paths of the objects that a path lies in: `q`, `q.z` for `q.z.w`. */
const parentsOf = (path: string): string[] => {
  const names = path.split('.').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('.'));
};

const problemOf = (
  path: string,
  earlier: ReadonlySet<string>,
  all: ReadonlySet<string>,
  schema: Schema,
): string | undefined => {
  if (resolvePath(schema, path) === undefined) return 'does not exist in the schema';
  if (earlier.has(path)) return 'is there twice';
  return parentsOf(path).some((parent) => all.has(parent))
    ? 'lies in another of the paths'
    : undefined;
};

const checkPaths = (
  member: 'inPaths' | 'outPaths',
  paths: readonly string[],
  schema: Schema,
  findings: Findings,
): void => {
  const all = new Set(paths);
  const earlier = new Set<string>();
  paths.forEach((path, index) => {
    const problem = problemOf(path, earlier, all, schema);
    earlier.add(path);
    if (problem !== undefined)
      findings.add(`/transformation/function/${member}/${String(index)}`, problem);
  });
};

/** Checks that the input paths exist in the event and the output paths in the output schema. */
export const checkFunction = (
  { inPaths, outPaths }: SubmittedFunction,
  outSchema: Schema | null,
  findings: Findings,
): void => {
  checkPaths('inPaths', inPaths, EVENT_SCHEMA, findings);
  if (outPaths.length === 0)
    findings.add('/transformation/function/outPaths', 'must have at least one path');
  if (outSchema !== null) checkPaths('outPaths', outPaths, outSchema, findings);
};
