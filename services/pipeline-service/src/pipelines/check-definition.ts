import {
  EVENT_SCHEMA,
  type JsonString,
  Refusal,
  type Transformation,
  type TransformationFunction,
} from '@penstock/contracts';
import { parseFilter, printFilter } from '@penstock/filters';
import {
  type Json,
  parseJson,
  printType,
  readSchema,
  type Schema,
  type SchemaRole,
} from '@penstock/schema';
import { checkExpressions, compileMapping, unmappedProperties } from '@penstock/transformations';
import { checkFunction } from './check-function';
import { Findings } from './findings';
import type { SubmittedFunction, SubmittedTransformation } from './read-transformation';

/** JSON texts of a pipeline that a client sent, beside the transformation. */
export interface DefinitionInput {
  readonly filter: JsonString | null;
  readonly outSchema: JsonString | null;
}

/** The definition of a pipeline, checked and in canonical form. */
export interface Definition {
  readonly filter: JsonString | null;
  readonly transformation: Transformation | null;
  readonly outSchema: JsonString | null;
  /** The parsed outSchema. */
  readonly schema: Schema | null;
}

/** The role of the schema of the values that a pipeline on events passes to an application. */
const OUTPUT: SchemaRole = { role: 'eventDestination' };

const parsed = (text: JsonString | null): Json => (text === null ? null : parseJson(text));

const checkFilter = (text: JsonString | null, findings: Findings): JsonString | null => {
  const json = parsed(text);
  if (json === null) return null;
  const filter = findings.of('filter', () => parseFilter(json, EVENT_SCHEMA, 'DestinationEvent'));
  return filter === undefined ? null : printFilter(filter);
};

const checkSchema = (json: Json, findings: Findings): Schema | null => {
  if (json === null) return null;
  const { schema = null, issues } = readSchema(json, OUTPUT);
  for (const { path, message } of issues) findings.add(`/outSchema${path}`, message);
  return schema;
};

const checkMapping = (
  mapping: ReadonlyMap<string, string>,
  schema: Schema | null,
  findings: Findings,
): void => {
  const at = 'transformation/mapping';
  if (schema === null) {
    findings.of(at, () => checkExpressions(mapping, EVENT_SCHEMA));
    return;
  }
  findings.of(at, () => compileMapping(mapping, EVENT_SCHEMA, schema));
  for (const path of unmappedProperties(mapping, schema))
    findings.add('/outSchema', `property ${path} is not given by the mapping`);
};

const isSupported = (fn: SubmittedFunction): fn is TransformationFunction =>
  fn.language === 'JavaScript' || fn.language === 'Python';

const canonical = (submitted: SubmittedTransformation): Transformation => {
  if (submitted.kind === 'mapping')
    return { mapping: Object.fromEntries(submitted.mapping), function: null };
  if (!isSupported(submitted.function)) throw new Refusal('UnsupportedLanguage');
  const { source, language, preserveJSON, inPaths, outPaths } = submitted.function;
  const sorted = { inPaths: [...inPaths].sort(), outPaths: [...outPaths].sort() };
  return { mapping: null, function: { source, language, preserveJSON, ...sorted } };
};

/**
 * Checks filter, transformation and output schema of a pipeline on events, and reports all issues at once. The event
 * type is not needed: {@link checkAlignment} compares with it.
 *
 * @throws Refusal BadRequest with every issue found, or UnsupportedLanguage.
 */
export const checkDefinition = (
  input: DefinitionInput,
  submitted: SubmittedTransformation | null,
): Definition => {
  const findings = new Findings();
  const filter = checkFilter(input.filter, findings);
  const outJson = parsed(input.outSchema);
  const schema = checkSchema(outJson, findings);
  if (submitted !== null && outJson === null)
    findings.add('/outSchema', 'is required with a transformation');
  if (submitted === null && outJson !== null)
    findings.add('/transformation', 'is required with an outSchema');
  if (submitted?.kind === 'mapping') checkMapping(submitted.mapping, schema, findings);
  if (submitted?.kind === 'function') checkFunction(submitted.function, schema, findings);
  findings.refuse();
  const transformation = submitted && canonical(submitted);
  return { filter, transformation, outSchema: schema && printType(schema), schema };
};
