import {
  EVENT_SCHEMA,
  type EventPipelineState,
  isOfWarehouse,
  type TransformationFunction,
} from '@penstock/contracts';
import {
  compileFilter,
  type ExplainedCondition,
  type Filter,
  parseFilter,
} from '@penstock/filters';
import { parseJson, parseSchema, type RecordValue, type Schema } from '@penstock/schema';
import {
  type CompiledMapping,
  compileMapping,
  type FunctionBatch,
} from '@penstock/transformations';
import { ANY_EVENT, type FilterKeys, filterKeys } from './filter-keys';

/** Characters of the texts of a version, which what is compiled of it grows with. */
export const lengthOf = ({ filter, outSchema, transformation }: EventPipelineState): number => {
  const { mapping, function: definition } = transformation ?? {};
  const texts = [filter, outSchema, definition?.source, ...Object.entries(mapping ?? {}).flat()];
  return texts.reduce<number>((sum, text) => sum + (text?.length ?? 0), 0);
};

/** How a filter comes to its verdict on an event. */
interface ExplainedFilter {
  readonly logical: Filter['logical'];
  readonly conditions: readonly ExplainedCondition[];
}

/** A compiled version of a pipeline. */
export interface CompiledPipeline {
  readonly state: EventPipelineState;
  readonly outSchema: Schema | null;
  /** Types and names that an event must have for the filter to match it. */
  readonly keys: FilterKeys;
  /** Whether the filter matches the event; never throws. */
  matches(event: RecordValue): boolean;
  /** Explains the verdict of the filter; `null` without one. Never throws. */
  explain(event: RecordValue): ExplainedFilter | null;
  /** The function that transforms events in the sandbox; `null`: the pipeline has a mapping or no transformation. */
  readonly function: FunctionBatch | null;
  /**
   * Applies the mapping; `null` without one. Not used for pipelines with a function.
   *
   * @throws TransformationError, OutputValidationError
   */
  transform(event: RecordValue): RecordValue | null;
}

/** Mappings and functions of events are run for creation. */
const PURPOSE = 'Create';

const parsedFilter = (state: EventPipelineState): Filter | null =>
  state.filter === null
    ? null
    : parseFilter(
        parseJson(state.filter),
        EVENT_SCHEMA,
        isOfWarehouse(state) ? 'SourceEvent' : 'DestinationEvent',
      );

const compiledMapping = (
  mapping: Readonly<Record<string, string>> | null | undefined,
  outSchema: Schema | null,
): CompiledMapping | null =>
  mapping == null || outSchema === null
    ? null
    : compileMapping(new Map(Object.entries(mapping)), EVENT_SCHEMA, outSchema);

const functionBatch = (
  { workspace, id, version }: EventPipelineState,
  definition: TransformationFunction | null | undefined,
  output: Schema | null,
): FunctionBatch | null =>
  definition == null || output === null
    ? null
    : {
        isolation: `${workspace}/${id}@${String(version)}`,
        definition,
        schemas: { input: EVENT_SCHEMA, output },
        purpose: PURPOSE,
      };

/**
 * Replaces a pipeline that this version cannot compile although the pipeline service has accepted it: it matches every
 * event and rejects it, so that other pipelines are not blocked.
 */
const brokenPipeline = (state: EventPipelineState, cause: unknown): CompiledPipeline => ({
  state,
  outSchema: null,
  keys: ANY_EVENT,
  matches: () => true,
  explain: () => null,
  function: null,
  transform: () => {
    throw new Error(`pipeline ${state.id}@${String(state.version)} cannot be compiled`, { cause });
  },
});

const compiled = (state: EventPipelineState): CompiledPipeline => {
  const outSchema = state.outSchema === null ? null : parseSchema(parseJson(state.outSchema));
  const filter = parsedFilter(state);
  const compiledFilter = filter === null ? null : compileFilter(filter, EVENT_SCHEMA);
  const mapping = compiledMapping(state.transformation?.mapping, outSchema);
  return {
    state,
    outSchema,
    keys: filterKeys(filter),
    matches: (event) => compiledFilter === null || compiledFilter.matches(event),
    explain: (event) =>
      filter === null || compiledFilter === null
        ? null
        : { logical: filter.logical, conditions: compiledFilter.explain(event) },
    function: functionBatch(state, state.transformation?.function, outSchema),
    transform: (event) => (mapping === null ? null : mapping.apply(event, PURPOSE)),
  };
};

/** Compiles a version of a pipeline. Never throws: a pipeline that cannot be compiled rejects its events. */
export const compilePipeline = (state: EventPipelineState): CompiledPipeline => {
  try {
    return compiled(state);
  } catch (error) {
    return brokenPipeline(state, error);
  }
};
