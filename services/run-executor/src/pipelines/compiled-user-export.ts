import type { ExportDestination, ExportPipelineState } from '@penstock/contracts';
import { parseJson, parseSchema, resolvePath, type Schema, textOf } from '@penstock/schema';
import {
  type CompiledMapping,
  compileMapping,
  type FunctionRunner,
  OutputValidationError,
  type Purpose,
  TransformationError,
} from '@penstock/transformations';
import type { MatchingOf } from '../engine/matched-profiles';
import type { RecordFault } from '../engine/record-source';
import type { Steps } from '../engine/steps';
import type { UserExportParts } from '../engine/user-export';
import { WholeRunError } from '../engine/whole-run-error';
import { compiling } from './compiling';
import { schemaWithout, withValueAt } from './schema-parts';
import { transformOf } from './transform';
import { valueSteps } from './value-steps';

type ToApplication = Extract<ExportDestination, { kind: 'application' }>;

/** What becomes of the profiles of an export to an application. */
export interface CompiledUserExport extends Pick<
  UserExportParts,
  'check' | 'create' | 'update' | 'matchingOf' | 'withMatching'
> {
  readonly outSchema: Schema;
}

const invalid = (message: string): WholeRunError =>
  new WholeRunError('Transformation', 'InvalidPipeline', message);

/** The name that the value has while it is converted. */
const VALUE = 'value';

const fault = (error: unknown): RecordFault => {
  if (!(error instanceof OutputValidationError) && !(error instanceof TransformationError))
    throw error;
  return { code: 'InvalidMatchingValue', message: error.withoutValue };
};

/** Converts as mappings do. */
const matchingOf = ({ matching }: ToApplication, input: Schema, output: Schema): MatchingOf => {
  const type = resolvePath(output, matching.out)?.type;
  if (type === undefined) throw invalid('there is no such property to match by');
  const flags = {
    createRequired: false,
    updateRequired: false,
    readOptional: true,
    nullable: false,
  };
  const property = { name: VALUE, type, prefilled: '', description: '', ...flags };
  const schema: Schema = { kind: 'object', properties: [property] };
  const mapping: CompiledMapping = compiling('InputValidation', () =>
    compileMapping(new Map([[VALUE, matching.in]]), input, schema),
  );
  return (profile) => {
    try {
      const value = mapping.apply(profile, 'None')[VALUE];
      return value === undefined || value === null ? null : { value, text: textOf(type, value) };
    } catch (error) {
      return fault(error);
    }
  };
};

/** Compiles what becomes of profiles on their way to an application. @throws WholeRunError when it cannot be compiled. */
export const compileUserExport = (
  state: ExportPipelineState,
  to: ToApplication,
  input: Schema,
  functions: Pick<FunctionRunner, 'run'>,
): CompiledUserExport => {
  const { outSchema: text, transformation } = state;
  if (text === null || transformation === null) throw invalid('there is no transformation');
  const outSchema = compiling('OutputValidation', () => parseSchema(parseJson(text)));
  const { out } = to.matching;
  const output = schemaWithout(outSchema, out);
  const made = (purpose: Purpose): Steps => {
    const of = { state, transformation, input, output, purpose };
    return valueSteps({ input, transform: transformOf(of, functions) });
  };
  const sendsOnUpdate = resolvePath(outSchema, out)?.updateRequired === true;
  return {
    outSchema,
    check: valueSteps({
      input,
      transform: (records) => Promise.resolve(records.map((values) => ({ values }))),
    }),
    create: made('Create'),
    update: made('Update'),
    matchingOf: matchingOf(to, input, outSchema),
    withMatching: (values, { value }, isNew) =>
      isNew || sendsOnUpdate ? withValueAt(values, out, value) : values,
  };
};
