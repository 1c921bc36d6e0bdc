import type { EventType } from '@penstock/connectors';
import { EVENT_SCHEMA } from '@penstock/contracts';
import type { Schema } from '@penstock/schema';
import { checkAlignment } from './check-alignment';
import { checkDefinition, type Definition } from './check-definition';
import { checkProfiles } from './check-profiles';
import type { CompileFunction } from './compile-function';
import type { DefinitionInput } from './definition-parts';
import type { SubmittedTransformation } from './read-transformation';

/**
 * Checks the definition of a pipeline that sends events, also against its event type, and compiles its function.
 *
 * @param eventType undefined where the pipeline's connection no longer has it.
 * @returns the definition in canonical form.
 * @throws Refusal BadRequest, UnsupportedLanguage, SchemaNotAligned, TransformationFailed, ServiceUnavailable
 */
export const checkedDefinition = async (
  input: DefinitionInput,
  submitted: SubmittedTransformation | null,
  eventType: EventType | undefined,
  compile: CompileFunction,
): Promise<Omit<Definition, 'schema'>> => {
  const { schema, ...definition } = checkDefinition(input, submitted);
  const fn = definition.transformation?.function;
  checkAlignment(schema, eventType?.schema ?? null, fn?.outPaths);
  if (fn && schema) await compile(fn, { input: EVENT_SCHEMA, output: schema });
  return definition;
};

/**
 * Checks the definition of a pipeline that writes identities from events, also against the schema of profiles, or that of
 * one that writes events, and compiles its function.
 *
 * @param profiles the schema of profiles.
 * @returns the definition in canonical form.
 * @throws Refusal BadRequest, UnsupportedLanguage, SchemaNotAligned, TransformationFailed, ServiceUnavailable
 */
export const checkedWarehouseDefinition = async (
  input: DefinitionInput,
  submitted: SubmittedTransformation | null,
  compile: CompileFunction,
  profiles: Schema,
): Promise<Omit<Definition, 'schema'>> => {
  const { schema, ...definition } = checkDefinition(input, submitted, false);
  if (schema !== null) checkProfiles('outSchema', schema, profiles);
  const fn = definition.transformation?.function;
  if (fn && schema) await compile(fn, { input: EVENT_SCHEMA, output: schema });
  return definition;
};
