import type { ExportDestination, Matching } from '@penstock/contracts';
import { type Kind, pointer, resolvePath, type Schema } from '@penstock/schema';
import { checkParts, type DefinitionInput, type PartRules } from './definition-parts';
import type { Findings } from './findings';
import type { SubmittedTransformation } from './read-transformation';
import { leavesBeside } from './schema-leaves';

/** Kinds of properties by which profiles can be matched, with those of users that their values are converted to. */
const CONVERTED: Readonly<Partial<Record<Kind, readonly Kind[]>>> = {
  int: ['int', 'string'],
  string: ['string', 'int', 'uuid'],
  uuid: ['uuid', 'string'],
};

const SIDES = { in: 'inSchema', out: 'outSchema' } as const;

/** @returns the kind of the property; undefined where there is none by which can be matched */
const kindAt = (
  side: keyof Matching,
  { [side]: path }: Matching,
  schema: Schema | null,
  findings: Findings,
): Kind | undefined => {
  if (schema === null) return undefined;
  const at = pointer('matching', side);
  const kind = resolvePath(schema, path)?.type.kind;
  if (kind === undefined) findings.add(at, `must be the path of a property of ${SIDES[side]}`);
  else if (!(kind in CONVERTED))
    findings.add(at, `must be a property of kind int, string or uuid, not ${kind}`);
  else return kind;
  return undefined;
};

/** The paths that a transformation gives, with pointers to them. */
const givenPaths = (submitted: SubmittedTransformation): readonly (readonly [string, string])[] =>
  submitted.kind === 'mapping'
    ? [...submitted.mapping.keys()].map((path) => [
        path,
        pointer('transformation', 'mapping', path),
      ])
    : submitted.function.outPaths.map((path, index) => [
        path,
        pointer('transformation', 'function', 'outPaths', String(index)),
      ]);

const contains = (outer: string, inner: string): boolean => `${inner}.`.startsWith(`${outer}.`);

const checkGiven = (submitted: SubmittedTransformation, out: string, findings: Findings): void => {
  for (const [path, at] of givenPaths(submitted))
    if (contains(path, out) || contains(out, path))
      findings.add(
        at,
        `must not give ${out}, by which users are matched, nor anything around or in it`,
      );
};

/**
 * Checks what an export to an application reads of profiles, and gives of users.
 *
 * @param inSchema `null` where it is not valid: then what needs it is not checked.
 */
export const checkToApplication = (
  input: DefinitionInput,
  submitted: SubmittedTransformation | null,
  { matching }: Extract<ExportDestination, { kind: 'application' }>,
  inSchema: Schema | null,
  findings: Findings,
) => {
  const rules: PartRules = {
    input: inSchema,
    filter: 'DestinationUser',
    output: { role: 'userDestination', matching: matching.out },
    mustRead: true,
    given: matching.out,
    givesAll: true,
  };
  const { filter, schema, inPaths } = checkParts(input, submitted, rules, findings);
  const from = kindAt('in', matching, inSchema, findings);
  const to = kindAt('out', matching, schema, findings);
  if (from !== undefined && to !== undefined && CONVERTED[from]?.includes(to) !== true)
    findings.add('/matching', `a value of kind ${from} is not converted to kind ${to}`);
  if (submitted !== null) checkGiven(submitted, matching.out, findings);
  if (inSchema !== null && inPaths !== undefined)
    for (const { path, pointer: at } of leavesBeside(inSchema, [...inPaths, matching.in]))
      findings.add(`/inSchema${at}`, `property ${path} is not used`);
  return { filter, schema };
};
