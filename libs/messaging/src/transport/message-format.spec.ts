import { parseReply, parseRequest } from './message-format';

it.each([
  ['a request', { pattern: 'P', data: { n: 1 }, id: 'i', replyTo: 'r', deadlineMs: 1 }],
  ['a request within a trace', { pattern: 'P', data: 1, id: 'i', replyTo: 'r', traceparent: 't' }],
  ['an event', { pattern: 'P', data: null }],
])('reads %s', (_, message) => {
  expect(parseRequest(JSON.stringify(message))).toEqual(message);
});

it.each([
  [null],
  [''],
  ['{'],
  ['null'],
  ['[]'],
  ['"P"'],
  ['{}'],
  ['{"pattern":1}'],
  ['{"pattern":"P","id":1}'],
  ['{"pattern":"P","replyTo":{}}'],
  ['{"pattern":"P","deadlineMs":"soon"}'],
  ['{"pattern":"P","traceparent":1}'],
])('does not accept %j as a request', (text) => {
  expect(parseRequest(text)).toBeUndefined();
});

it('reads a reply', () => {
  const reply = { id: 'i', response: [1], isLast: true };
  expect(parseReply(JSON.stringify(reply))).toEqual(reply);
});

it.each([[null], ['{'], ['[]'], ['{"id":1}']])('does not accept %j as a reply', (text) => {
  expect(parseReply(text)).toBeUndefined();
});
