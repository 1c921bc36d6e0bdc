import type { ConnectionId, PipelineId } from '@penstock/contracts';
import { readHistory } from './read-history';

const [CONNECTION, PIPELINE] = [
  'connection000001' as ConnectionId,
  'pipeline0000001' as PipelineId,
];
const at = (position: number) => ({ position });

/** A pipeline service that gives the answers in order, and fails behind them. */
const answering = (...answers: object[]) => {
  const sent: (readonly [name: string, about: string, question: object])[] = [];
  const ask = (...question: (typeof sent)[number]): Promise<never> => {
    sent.push(question);
    const answer = answers.shift();
    return answer === undefined
      ? Promise.reject(new Error('away'))
      : Promise.resolve(answer as never);
  };
  return { sent, history: readHistory({ ask }) };
};

it('sends one query where an answer holds everything', async () => {
  const { sent, history } = answering({ states: [at(3)], next: null });
  expect(await history.connectionStates(CONNECTION, 4, 9)).toEqual([at(3)]);
  expect(sent).toEqual([
    ['ConnectionStates', CONNECTION, { connection: CONNECTION, from: 4, to: 9 }],
  ]);
});

it('goes on where an answer ends', async () => {
  const { sent, history } = answering(
    { states: [at(3), at(5)], next: 6 },
    { states: [at(6)], next: 8 },
    { states: [at(8)], next: null },
  );
  expect(await history.pipelineStates(PIPELINE, 4, 9)).toEqual([3, 5, 6, 8].map(at));
  expect(sent).toEqual(
    [4, 6, 8].map((from) => ['PipelineStates', PIPELINE, { pipeline: PIPELINE, from, to: 9 }]),
  );
});

it('answers nothing in part', async () => {
  const { history } = answering({ states: [at(3)], next: 6 });
  await expect(history.connectionStates(CONNECTION, 4, 9)).rejects.toThrow('away');
});

it('reads one version of a pipeline, and knows when there is none', async () => {
  const state = { id: PIPELINE, version: 2 };
  const { sent, history } = answering({ state }, { state: null });
  expect(await history.pipelineVersion(PIPELINE, 2)).toEqual(state);
  expect(await history.pipelineVersion(PIPELINE, 3)).toBeUndefined();
  expect(sent[0]).toEqual(['PipelineVersion', PIPELINE, { pipeline: PIPELINE, version: 2 }]);
  await expect(history.pipelineVersion(PIPELINE, 4)).rejects.toThrow('away');
});
