import {
  type NewPipeline,
  type PipelineDefinition,
  type PipelineFact,
  type PipelineState,
  Refusal,
  unreachable,
} from '@penstock/contracts';
import type { Decider } from '@penstock/event-sourcing';

/** The published state, which is all that decisions depend on. `null`: it was never created. */
export type Pipeline = PipelineState | null;

type WithoutStatus<Definition> = Definition extends PipelineDefinition
  ? Omit<Definition, 'enabled'> & { readonly enabled?: boolean }
  : never;

/** What an update says, of a pipeline of any kind. */
type UpdatedDefinition = WithoutStatus<PipelineDefinition>;

export type PipelineCommand =
  | { readonly type: 'CreatePipeline'; readonly pipeline: NewPipeline }
  | {
      readonly type: 'UpdatePipeline';
      /** Without `enabled` the status does not change. */
      readonly definition: UpdatedDefinition;
    }
  | { readonly type: 'SetPipelineStatus'; readonly enabled: boolean }
  | { readonly type: 'DeletePipeline' };

const changed = (fact: PipelineFact): Partial<PipelineState> => {
  switch (fact.type) {
    case 'PipelineCreated':
    case 'PipelineUpdated':
      return fact.data;
    case 'PipelineStatusSet':
      return { enabled: fact.data.enabled };
    case 'PipelineDeleted':
      return { deleted: true };
    default:
      return unreachable(fact);
  }
};

const evolve = (state: Pipeline, fact: PipelineFact): Pipeline => {
  if (fact.type === 'PipelineCreated')
    return { ...fact.data, kind: 'pipeline', version: 1, deleted: false };
  if (state === null) return state;
  // An update is of the kind of its pipeline: its handler checks that.
  return { ...state, ...changed(fact), version: state.version + 1 } as PipelineState;
};

const update = (definition: UpdatedDefinition, state: PipelineState): PipelineFact[] => {
  const data: PipelineDefinition = { ...definition, enabled: definition.enabled ?? state.enabled };
  const isSo = Object.entries(data).every(
    ([name, value]) =>
      JSON.stringify(value) === JSON.stringify(state[name as keyof PipelineDefinition]),
  );
  return isSo ? [] : [{ type: 'PipelineUpdated', data }];
};

const decide = (command: PipelineCommand, state: Pipeline): PipelineFact[] => {
  if (command.type === 'CreatePipeline')
    return state === null ? [{ type: 'PipelineCreated', data: command.pipeline }] : [];
  if (state === null || state.deleted) throw new Refusal('PipelineNotExist');
  switch (command.type) {
    case 'UpdatePipeline':
      return update(command.definition, state);
    case 'SetPipelineStatus':
      return state.enabled === command.enabled
        ? []
        : [{ type: 'PipelineStatusSet', data: { enabled: command.enabled } }];
    case 'DeletePipeline':
      return [{ type: 'PipelineDeleted', data: {} }];
    default:
      return unreachable(command);
  }
};

/** The rules of a pipeline that depend on its own state; the handlers check it against connection and event type. */
export const pipelineDecider: Decider<Pipeline, PipelineCommand, PipelineFact> = {
  initial: null,
  decide,
  evolve,
};

export const pipelineStream = (id: string): string => `pipeline-${id}`;
