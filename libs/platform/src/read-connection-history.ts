import type { ReadConnectionHistory, ConnectionStateAt, Queries } from '@penstock/contracts';
import type { PipelineServiceClient } from './pipeline-service-client';

/** Asks the pipeline service, as often as the history is longer than an answer. */
export const readConnectionHistory =
  (pipelineService: Pick<PipelineServiceClient, 'ask'>): ReadConnectionHistory =>
  async (connection, from, to) => {
    const all: ConnectionStateAt[] = [];
    for (let start: number | null = from; start !== null;) {
      const question: Queries['ConnectionStates']['in'] = { connection, from: start, to };
      const { states, next } = await pipelineService.ask('ConnectionStates', connection, question);
      all.push(...states);
      start = next;
    }
    return all;
  };
