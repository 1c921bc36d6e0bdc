import { shortReason } from './short-reason';

it.each([
  ['Finalize', 'answered 400: Ada is not an e-mail address', 'answered 400'],
  ['Finalize', 'answered 404', 'answered 404'],
  [null, 'connect ECONNREFUSED 127.0.0.1:80', 'connect ECONNREFUSED 127.0.0.1:80'],
  [null, '', ''],
  ['Transformation', 'RangeError: Ada', 'the transformation failed'],
  ['Transformation', 'Ada', 'the transformation failed'],
  ['OutputValidation', '/a: Ada', 'the result of the transformation does not fit its schema'],
  ['InputValidation', 'Ada', 'the event does not fit'],
])('at step %s %j is listed as %j', (step, reason, short) => {
  expect(shortReason(step, reason)).toBe(short);
});
