import type { ConnectionId, PipelineId } from '@penstock/contracts';
import type { StoredIdentity } from '../../platform/warehouse-reader';
import { areTexts, isFlag, isText, isTextOrNull, isTime, memberOf, type Row } from './rows';

const NUMBER = /^-?\d{1,19}$/;

const isNumber = (value: unknown): value is string => isText(value) && NUMBER.test(value);

const member = memberOf('_identities');

/** @throws WarehouseFault `unusable` for a row that no writer has written. */
export const storedIdentity = (row: Row): StoredIdentity => ({
  place: member(row, 'id', isNumber),
  updatedAt: member(row, 'updatedAt', isTime),
  connection: member(row, 'connection', isText) as ConnectionId,
  pipeline: member(row, 'pipeline', isText) as PipelineId,
  recordId: member(row, 'recordId', isText),
  anonymous: member(row, 'anonymous', isFlag),
  anonymousIds: member(row, 'anonymousIds', areTexts),
  profile: member(row, 'profile', isTextOrNull),
});
