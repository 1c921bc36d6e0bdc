import type { JsonString } from '@penstock/contracts';
import { type Filter, type FilterContext, filterPaths, parseFilter } from '@penstock/filters';
import { type Json, parseJson, readSchema, type Schema, type SchemaRole } from '@penstock/schema';
import { checkExpressions, compileMapping, unmappedProperties } from '@penstock/transformations';
import { checkFunction } from './check-function';
import type { Findings } from './findings';
import type { SubmittedTransformation } from './read-transformation';

/** JSON texts of a pipeline that a client sent, beside the transformation. */
export interface DefinitionInput {
  readonly filter: JsonString | null;
  readonly outSchema: JsonString | null;
}

/** What filter and transformation of a kind of pipelines are checked against. */
export interface PartRules {
  /** What both read; `null` where it could not be read itself: then what needs it is not checked. */
  readonly input: Schema | null;
  readonly filter: FilterContext;
  readonly output: SchemaRole;
  /** Whether the transformation must read something. */
  readonly mustRead: boolean;
  /** Path of a property of the outSchema that is given otherwise, and not by the transformation; absent: there is none. */
  readonly given?: string;
  /** Whether a function must give all of the outSchema, which a mapping always must. */
  readonly givesAll: boolean;
}

/** The parts of a definition that are alike in all kinds of pipelines. */
export interface DefinitionParts {
  readonly filter: Filter | null;
  /** The parsed outSchema; `null` where there is none, and where it is not valid. */
  readonly schema: Schema | null;
  /** What filter and transformation read; undefined where that could not be found out. */
  readonly inPaths: readonly string[] | undefined;
}

const parsed = (text: JsonString | null): Json => (text === null ? null : parseJson(text));

/**
 * Reads a schema of a pipeline and checks what its role allows.
 *
 * @returns `null` when there is none, or it has issues that leave no schema.
 */
export const checkSchema = (
  member: 'inSchema' | 'outSchema',
  text: JsonString | null,
  role: SchemaRole,
  findings: Findings,
): Schema | null => {
  const json = parsed(text);
  if (json === null) return null;
  const { schema = null, issues } = readSchema(json, role);
  for (const { path, message } of issues) findings.add(`/${member}${path}`, message);
  return schema;
};

const checkFilter = (
  text: JsonString | null,
  { input, filter: context }: PartRules,
  findings: Findings,
): Filter | null | undefined => {
  const json = parsed(text);
  if (json === null) return null;
  return input === null
    ? undefined
    : findings.of('filter', () => parseFilter(json, input, context));
};

const withGiven = (
  mapping: ReadonlyMap<string, string>,
  given: string | undefined,
): ReadonlyMap<string, string> =>
  given === undefined ? mapping : new Map([...mapping, [given, '']]);

/** @returns what the expressions read; undefined where that could not be found out. */
const checkMapping = (
  mapping: ReadonlyMap<string, string>,
  schema: Schema | null,
  { input, mustRead, given }: PartRules,
  findings: Findings,
): readonly string[] | undefined => {
  const at = 'transformation/mapping';
  if (schema === null) {
    if (input !== null) findings.of(at, () => checkExpressions(mapping, input));
    return undefined;
  }
  const inPaths =
    input === null
      ? undefined
      : findings.of(at, () => compileMapping(mapping, input, schema))?.inPaths;
  for (const path of unmappedProperties(withGiven(mapping, given), schema))
    findings.add('/outSchema', `property ${path} is not given by the mapping`);
  if (mustRead && inPaths?.length === 0)
    findings.add(`/${at}`, 'must read a property: it has constants only');
  return inPaths;
};

const checkFunctionPaths = (
  fn: Extract<SubmittedTransformation, { kind: 'function' }>['function'],
  schema: Schema | null,
  { input, mustRead, given, givesAll }: PartRules,
  findings: Findings,
): readonly string[] => {
  checkFunction(fn, { input, output: schema }, findings);
  if (mustRead && fn.inPaths.length === 0)
    findings.add('/transformation/function/inPaths', 'must have at least one path');
  if (!givesAll) return fn.inPaths;
  const paths = withGiven(new Map(fn.outPaths.map((path) => [path, ''])), given);
  for (const path of schema === null ? [] : unmappedProperties(paths, schema))
    findings.add('/outSchema', `property ${path} is not given by the function`);
  return fn.inPaths;
};

const checkTransformation = (
  submitted: SubmittedTransformation | null,
  schema: Schema | null,
  rules: PartRules,
  findings: Findings,
): readonly string[] | undefined => {
  if (submitted === null) return [];
  return submitted.kind === 'mapping'
    ? checkMapping(submitted.mapping, schema, rules, findings)
    : checkFunctionPaths(submitted.function, schema, rules, findings);
};

/** Checks filter, transformation and output schema, and adds all issues to the findings. */
export const checkParts = (
  input: DefinitionInput,
  submitted: SubmittedTransformation | null,
  rules: PartRules,
  findings: Findings,
): DefinitionParts => {
  const filter = checkFilter(input.filter, rules, findings);
  const schema = checkSchema('outSchema', input.outSchema, rules.output, findings);
  if (submitted !== null && input.outSchema === null)
    findings.add('/outSchema', 'is required with a transformation');
  if (submitted === null && input.outSchema !== null)
    findings.add('/transformation', 'is required with an outSchema');
  const read = checkTransformation(submitted, schema, rules, findings);
  const isKnown = filter !== undefined && read !== undefined;
  return {
    filter: filter ?? null,
    schema,
    inPaths: isKnown ? [...read, ...(filter === null ? [] : filterPaths(filter))] : undefined,
  };
};
