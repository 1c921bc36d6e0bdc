import type { PipelineState } from '@penstock/contracts';
import { parseJson, parseSchema, type Schema } from '@penstock/schema';
import { writesIdentities } from '../intake/writes-identities';

const NO_PROPERTIES: Schema = { kind: 'object', properties: [] };

/** What a pipeline gives of the schema of profiles; undefined: it writes no identities. */
export const writtenSchemaOf = (state: PipelineState): Schema | undefined => {
  if (!writesIdentities(state)) return undefined;
  return state.outSchema === null ? NO_PROPERTIES : parseSchema(parseJson(state.outSchema));
};

/** Paths of the properties of a schema that are no objects, with names joined by dots. */
export const leafPaths = ({ properties }: Schema, prefix = ''): readonly string[] =>
  properties.flatMap(({ name, type }) => {
    const path = `${prefix}${name}`;
    return type.kind === 'object' ? leafPaths(type, `${path}.`) : [path];
  });
