import type { HistorySource } from '@penstock/contracts';
import type { PipelineServiceClient } from './pipeline-service-client';

/** Some of the states, and the position to go on from; `null`: there are no more. */
interface Answer<State> {
  readonly states: readonly State[];
  readonly next: number | null;
}

/** Asks as often as there is more than an answer holds. */
const readAll = async <State>(
  from: number,
  ask: (from: number) => Promise<Answer<State>>,
): Promise<State[]> => {
  const all: State[] = [];
  for (let start: number | null = from; start !== null;) {
    const { states, next }: Answer<State> = await ask(start);
    all.push(...states);
    start = next;
  }
  return all;
};

/** Reads the history of the configuration from the pipeline service. */
export const readHistory = (service: Pick<PipelineServiceClient, 'ask'>): HistorySource => ({
  connectionStates: (connection, first, to) =>
    readAll(first, (from) => service.ask('ConnectionStates', connection, { connection, from, to })),
  pipelineStates: (pipeline, first, to) =>
    readAll(first, (from) => service.ask('PipelineStates', pipeline, { pipeline, from, to })),
  pipelineVersion: async (pipeline, version) => {
    const { state } = await service.ask('PipelineVersion', pipeline, { pipeline, version });
    return state ?? undefined;
  },
});
