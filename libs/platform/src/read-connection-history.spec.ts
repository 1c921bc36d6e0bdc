import type { ConnectionId, ConnectionStateAt, Queries } from '@penstock/contracts';
import { readConnectionHistory } from './read-connection-history';

type Question = Queries['ConnectionStates']['in'];
type Answer = Queries['ConnectionStates']['out'];

const ID = 'connection000001' as ConnectionId;
const at = (position: number) => ({ position }) as ConnectionStateAt;

const answering = (...answers: Answer[]) => {
  const sent: Question[] = [];
  const ask = (_: string, about: string, question: Question): Promise<Answer> => {
    expect(about).toBe(ID);
    sent.push(question);
    const answer = answers.shift();
    return answer === undefined ? Promise.reject(new Error('away')) : Promise.resolve(answer);
  };
  return { sent, history: readConnectionHistory({ ask }) };
};

it('sends one query where an answer holds everything', async () => {
  const { sent, history } = answering({ states: [at(3)], next: null });
  expect(await history(ID, 4, 9)).toEqual([at(3)]);
  expect(sent).toEqual([{ connection: ID, from: 4, to: 9 }]);
});

it('goes on where an answer ends', async () => {
  const { sent, history } = answering(
    { states: [at(3), at(5)], next: 6 },
    { states: [at(6)], next: 8 },
    { states: [at(8)], next: null },
  );
  expect(await history(ID, 4, 9)).toEqual([3, 5, 6, 8].map(at));
  expect(sent.map(({ from, to }) => [from, to])).toEqual([
    [4, 9],
    [6, 9],
    [8, 9],
  ]);
});

it('answers nothing in part', async () => {
  const { history } = answering({ states: [at(3)], next: 6 });
  await expect(history(ID, 4, 9)).rejects.toThrow('away');
});
