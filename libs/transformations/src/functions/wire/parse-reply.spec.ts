import { ProtocolError } from './frames';
import { packTexts } from './packed-texts';
import { parseAnswers, parseReply } from './parse-reply';

it.each([
  [{ id: 1, kind: 'answers' }],
  [{ id: 0, kind: 'ready' }],
  [{ id: 2, kind: 'end', console: '', loading: false }],
  [{ id: 2, kind: 'end', console: 'x', cause: 'memory', loading: true }],
  [
    {
      id: 2,
      kind: 'end',
      console: '',
      refusal: { text: 'no', line: 1, column: 0 },
      loading: false,
    },
  ],
])('reads %j', (reply) => {
  expect(parseReply(reply)).toEqual(reply);
});

it('leaves out unknown members', () => {
  expect(parseReply({ id: 1, kind: 'end', console: '', cause: 'bribe', extra: 1 })).toEqual({
    id: 1,
    kind: 'end',
    console: '',
    loading: false,
  });
});

it.each([
  [null],
  ['text'],
  [[]],
  [{}],
  [{ id: -1, kind: 'ready' }],
  [{ id: 1.5, kind: 'ready' }],
  [{ id: 1, kind: 'other' }],
  [{ kind: 'answers' }],
  [{ id: 1, kind: 'end' }],
  [{ id: 1, kind: 'end', console: '', refusal: 'no' }],
  [{ id: 1, kind: 'end', console: '', refusal: { text: 'no', line: 'x', column: 1 } }],
])('refuses %j', (message) => {
  expect(() => parseReply(message)).toThrow(ProtocolError);
});

it('cuts the console', () => {
  const console = 'x'.repeat(40_000);
  expect(parseReply({ id: 1, kind: 'end', console })).toEqual({
    id: 1,
    kind: 'end',
    console: console.slice(0, 32_768),
    loading: false,
  });
});

it('reads answers', () => {
  expect(parseAnswers(packTexts(['R{"a":"é"}', 'Eno', 'R', 'E']))).toEqual([
    { kind: 'result', text: '{"a":"é"}' },
    { kind: 'error', text: 'no' },
    { kind: 'result', text: '' },
    { kind: 'error', text: '' },
  ]);
});

it.each(['', 'X', '{}', 'r{}'])('refuses the answer %j', (packed) => {
  expect(() => parseAnswers(packTexts(['R{}', packed]))).toThrow(ProtocolError);
});

it('refuses truncated answers', () => {
  expect(() => parseAnswers(packTexts(['R{}']).subarray(0, 6))).toThrow(ProtocolError);
});
