import { Refusal, type WorkspaceId } from '@penstock/contracts';
import { openMessage, openOutcome, sealMessage, sealOutcome } from './sealed-message';
import { newDataKey, Seals } from './seals';
import { SecretBox } from './secret-box';

const WORKSPACE = 'workspace0000001' as WorkspaceId;
const secrets = new SecretBox('a secret that only the specs know of');
const key = newDataKey(secrets, WORKSPACE);
const seals = new Seals(secrets, (workspace) => (workspace === WORKSPACE ? key : undefined));
const place = { workspace: WORKSPACE, commandId: 'c1', is: 'request' } as const;
const message = { users: ['{"email":"ada@example.com"}'] };

it('opens where it was sealed for, and reveals nothing before', () => {
  const sealed = sealMessage(seals, message, place);
  expect(JSON.stringify(sealed)).not.toContain('@');
  expect(openMessage(seals, sealed, place)).toEqual(message);
});

it.each([
  ['as the answer to the same request', { is: 'answer' }],
  ['for another request', { commandId: 'c2' }],
  ['for another workspace', { workspace: 'workspace0000002' as WorkspaceId }],
] as const)('does not open %s', (_, other) => {
  const sealed = sealMessage(seals, message, place);
  expect(() => openMessage(seals, sealed, { ...place, ...other })).toThrow();
});

it('gives back what a request has come to, also where it was refused', () => {
  expect(openOutcome(seals, sealOutcome(seals, message, place), place)).toEqual(message);
  const details = [{ path: '/event', message: 'ada@example.com is none' }];
  const refusal = new Refusal('InvalidEvent', { message: 'ada is refused', details });
  const sealed = sealOutcome(seals, refusal, place);
  expect(JSON.stringify(sealed)).not.toMatch(/@|InvalidEvent/);
  const open = () => openOutcome(seals, sealed, place);
  expect(open).toThrow(Refusal);
  const { code, kind } = refusal;
  expect(open).toThrow(
    expect.objectContaining({ code, kind, message: 'ada is refused', details }) as Error,
  );
});
