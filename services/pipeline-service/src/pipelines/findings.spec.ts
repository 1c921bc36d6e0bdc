import { Refusal } from '@penstock/contracts';
import { Findings } from './findings';

const messageOf = (...paths: readonly string[]): string | undefined => {
  const findings = new Findings();
  for (const path of paths) findings.add(path, 'is wrong');
  try {
    findings.refuse();
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
};

it.each([
  [[], undefined],
  [['/filter'], 'filter is not valid'],
  [['/filter/logical', '/filter/conditions/0/values'], 'filter is not valid'],
  [['/filter/logical', '/outSchema'], 'request is not valid'],
  [['/filters'], 'request is not valid'],
  [['/transformation'], 'request is not valid'],
])('issues at %j are refused with the message: %s', (paths, message) => {
  expect(messageOf(...paths)).toBe(message);
});
