import { WarehouseFault } from '@penstock/warehouses';
import { Away } from '../engine/away';
import { Outdated } from '../engine/outdated';
import { WholeRunError } from '../engine/whole-run-error';

const INTERNAL_ERROR = 'an internal error has occurred';

/** What people are told of a failure, without a value or a secret. */
export const failureText = (error: unknown): string => {
  const isForPeople = [WarehouseFault, Away, Outdated, WholeRunError].some(
    (kind) => error instanceof kind,
  );
  return isForPeople ? (error as Error).message : INTERNAL_ERROR;
};
