import { resolvePath, type Schema } from '@penstock/schema';
import type { Findings } from './findings';
import type { SubmittedFunction } from './read-transformation';
import { parentsOf } from './schema-leaves';

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

/**
 * Checks that the input paths exist in the input schema and the output paths in the output schema.
 *
 * @param schemas `null` for one that is not known: its paths are not looked up.
 */
export const checkFunction = (
  { inPaths, outPaths }: SubmittedFunction,
  schemas: { readonly input: Schema | null; readonly output: Schema | null },
  findings: Findings,
): void => {
  if (schemas.input !== null) checkPaths('inPaths', inPaths, schemas.input, findings);
  if (outPaths.length === 0)
    findings.add('/transformation/function/outPaths', 'must have at least one path');
  if (schemas.output !== null) checkPaths('outPaths', outPaths, schemas.output, findings);
};
