import { EVENT_SCHEMA, type EventPipelineState } from '@penstock/contracts';
import { compileFilter, type CompiledFilter, type Filter, parseFilter } from '@penstock/filters';
import {
  compileCodec,
  isJsonObject,
  type Json,
  type JsonObject,
  parseJson,
  parseSchema,
  type RecordCodec,
  type RecordValue,
  writeJson,
} from '@penstock/schema';
import {
  type CompiledMapping,
  compileMapping,
  mappedValues,
  OutputValidationError,
  TransformationError,
} from '@penstock/transformations';
import { jsonObject } from '../http/json-object';

/** An event as the log has it, read by its schema and as JSON. */
interface ReadEvent {
  readonly event: RecordValue;
  readonly json: JsonObject;
}

interface Mapping {
  readonly expressions: ReadonlyMap<string, string>;
  readonly compiled: CompiledMapping;
  readonly codec: RecordCodec;
}

/** Finds the member at a path, in objects within objects. */
const valueAt = (json: Json, path: string): Json | undefined => {
  let value: Json | undefined = json;
  for (const name of path.split('.')) {
    if (!isJsonObject(value)) return undefined;
    value = value.get(name);
  }
  return value;
};

/** Texts, because a browser would round long numbers. */
const textAt = (json: Json, path: string): string | undefined => {
  const value = valueAt(json, path);
  return value === undefined ? undefined : writeJson(value);
};

const mappingOf = ({ transformation, outSchema }: EventPipelineState): Mapping | null => {
  if (transformation?.mapping == null || outSchema === null) return null;
  const expressions = new Map(Object.entries(transformation.mapping));
  const schema = parseSchema(parseJson(outSchema));
  const compiled = compileMapping(expressions, EVENT_SCHEMA, schema);
  return { expressions, compiled, codec: compileCodec(schema) };
};

/**
 * A version of a pipeline that says how it handles an event: by the libraries that the router routes and maps with,
 * over the recorded event.
 */
export class ExplainedPipeline {
  private readonly filter: Filter | null;
  private readonly decide: CompiledFilter | null;
  private readonly mapping: Mapping | null;

  constructor(private readonly state: EventPipelineState) {
    const { filter } = state;
    this.filter =
      filter === null ? null : parseFilter(parseJson(filter), EVENT_SCHEMA, 'DestinationEvent');
    this.decide = this.filter && compileFilter(this.filter, EVENT_SCHEMA);
    this.mapping = mappingOf(state);
  }

  /** Members that explain the handling; the values in them are JSON texts. */
  explain(read: ReadEvent): Readonly<Record<string, Json>> {
    const { id, name, eventType, version, enabled, transformation } = this.state;
    const matches = this.decide?.matches(read.event) ?? true;
    return {
      id,
      name,
      eventType,
      version: String(version),
      enabled,
      matches,
      filter: this.conditions(read),
      mapping: matches ? this.values(read) : null,
      language: transformation?.function?.language ?? null,
    };
  }

  private conditions({ event, json }: ReadEvent): Json {
    if (this.filter === null) return null;
    const verdicts = this.decide?.verdicts(event) ?? [];
    const conditions = this.filter.conditions.map(({ property, operator, values }, index) =>
      jsonObject({
        property,
        operator,
        operands: values,
        value: textAt(json, property),
        holds: verdicts[index] ?? false,
      }),
    );
    return jsonObject({ logical: this.filter.logical, conditions });
  }

  private values({ event }: ReadEvent): Json {
    if (this.mapping === null) return null;
    const { expressions, compiled, codec } = this.mapping;
    const rows = (valueOf: (property: string) => string | undefined): Json =>
      [...expressions].map(([property, expression]) =>
        jsonObject({ property, expression, value: valueOf(property) }),
      );
    try {
      const json = parseJson(codec.encode(compiled.apply(event, 'Create')));
      return jsonObject({ values: rows((property) => textAt(json, property)), error: null });
    } catch (error) {
      if (!(error instanceof TransformationError || error instanceof OutputValidationError))
        throw error;
      const partial = mappedValues(expressions, EVENT_SCHEMA, event);
      const values = rows((property) => {
        const value = partial.get(property);
        return value === undefined ? undefined : writeJson(value);
      });
      return jsonObject({ values, error: error.message });
    }
  }
}
