import type { EventType } from '@penstock/connectors';
import { checkAlignment } from './check-alignment';
import { checkDefinition, type Definition, type DefinitionInput } from './check-definition';
import type { CompileFunction } from './compile-function';
import type { SubmittedTransformation } from './read-transformation';

/**
 * Checks the definition of a pipeline, also against its event type, and compiles its function.
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
  if (fn && schema) await compile(fn, schema);
  return definition;
};
