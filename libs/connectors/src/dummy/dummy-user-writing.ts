import { hash, randomUUID } from 'node:crypto';
import { compileCodec, Invalid, newRecord, type RecordValue } from '@penstock/schema';
import type { OutgoingUser, UserOutcome } from '../connector/user-destination';
import type { DummyConfig } from './dummy-settings';
import type { UserWriting } from './dummy-user-store';
import { DUMMY_USER_KEPT } from './dummy-user-schemas';
import { storedRecord } from './dummy-users';
import { generatedUser } from './generated-user';

/** A user as it is before it is changed, or nothing of it. */
interface Present {
  readonly id: string;
  /** `null`: it was created, or is about to be. */
  readonly number: number | null;
  readonly record: RecordValue;
}

const kept = compileCodec(DUMMY_USER_KEPT);

const encoded = (record: RecordValue): string | Invalid => {
  try {
    return kept.encode(record);
  } catch (error) {
    if (error instanceof Invalid) return error;
    throw error;
  }
};

const rejected = (reason: string): UserOutcome => ({ kind: 'rejected', reason });

/** Whether a share of all texts, always the same ones, contains this one. */
const isInShare = (text: string, percentage: number): boolean =>
  parseInt(hash('sha256', text, 'hex').slice(0, 8), 16) % 100 < percentage;

/** Creates or changes one user. */
export const writeUser = async (
  { id, values }: OutgoingUser,
  config: DummyConfig,
  writing: UserWriting,
): Promise<UserOutcome> => {
  const present = id === null ? newUser() : await presentUser(id, config, writing);
  if (present === undefined) return rejected('user does not exist');
  const record = changed(present.record, values);
  const email = record['email'];
  if (typeof email !== 'string') return rejected('email is required');
  if (isInShare(email, config.failPercentage)) return rejected('simulated failure');
  const text = encoded(record);
  if (text instanceof Invalid) return rejected(text.message);
  if (await isInUse(email, present.id, config, writing)) return rejected('email already in use');
  await writing.put(present.id, present.number, text);
  await writing.count(id === null ? { created: 1, updated: 0 } : { created: 0, updated: 1 });
  return { kind: 'written', id: present.id };
};

const newUser = (): Present => {
  const id = `dummy-${randomUUID()}`;
  return { id, number: null, record: Object.assign(newRecord(), { dummyId: id }) };
};

const presentUser = async (
  id: string,
  config: DummyConfig,
  writing: UserWriting,
): Promise<Present | undefined> => {
  const stored = await writing.get(id);
  if (stored !== undefined) return { ...stored, record: storedRecord(stored) };
  const number = generatedNumber(id, /^dummy-([1-9]\d{0,6})$/, config);
  return number === undefined ? undefined : { id, number, record: generatedUser(number).values };
};

/** What is written takes the place of what was there; of the address, member by member. */
const changed = (present: RecordValue, values: RecordValue): RecordValue => {
  const record = Object.assign(newRecord(), present, values);
  if (values['address'] !== undefined)
    record['address'] = Object.assign(newRecord(), present['address'], values['address']);
  return record;
};

const isInUse = async (
  email: string,
  id: string,
  config: DummyConfig,
  writing: UserWriting,
): Promise<boolean> => {
  const others = (await writing.withEmail(email)).filter((user) => user.id !== id);
  if (others.length > 0) return true;
  const number = generatedNumber(email, /^user-([1-9]\d{0,6})@example\.com$/, config);
  if (number === undefined || generatedUser(number).id === id) return false;
  return (await writing.get(generatedUser(number).id)) === undefined;
};

const generatedNumber = (
  text: string,
  form: RegExp,
  { userCount }: DummyConfig,
): number | undefined => {
  const number = Number(form.exec(text)?.[1]);
  return number <= userCount ? number : undefined;
};
