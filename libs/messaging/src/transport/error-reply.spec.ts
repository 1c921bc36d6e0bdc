import { errorReplyOf } from './error-reply';

it.each(['PipelineNotExist', 'Conflict', 'BadRequest'])('passes on an error of code %s', (code) => {
  const error = Object.assign(new Error('text'), { code, kind: 'absent', details: [1] });
  expect(errorReplyOf(error)).toEqual({
    name: 'Error',
    code,
    message: 'text',
    kind: 'absent',
    details: [1],
  });
});

it.each([
  ['no code', new Error('text')],
  ['a code of Node', Object.assign(new Error('text'), { code: 'ECONNRESET' })],
  ['a code of Node', Object.assign(new Error('text'), { code: 'ERR_INVALID_ARG_TYPE' })],
  ['a code of SQL', Object.assign(new Error('text'), { code: '42P01' })],
  ['a number', Object.assign(new Error('text'), { code: 7 })],
  ['a text', 'PipelineNotExist'],
  ['nothing', undefined],
])('hides an error with %s', (_, error) => {
  expect(errorReplyOf(error)).toBeUndefined();
});

it('fills in missing members of an error', () => {
  expect(errorReplyOf({ code: 'Conflict' })).toEqual({
    name: 'Error',
    code: 'Conflict',
    message: 'Conflict',
  });
});
