import { JsonNumber } from '@penstock/schema';
import {
  integer,
  members,
  readNumber,
  readObjects,
  readOptionalText,
  text,
} from '@penstock/settings';
import type { Settings } from '../connector/connector';
import { perSettings } from '../settings/per-settings';
import { requestUrl, webUrl } from '../settings/url';
import { failuresForm, readFailure, type SimulatedFailure } from './failures-form';
import { parseOperationDelay, type OperationDelay } from './operation-delay';

const MAX_DELAY_LENGTH = 64;

/** Settings of the `dummy` connector. */
export const dummyForm = members(
  {
    name: 'customerExportFailPercentage',
    form: integer(0, 100),
    description: 'Share of upserted users that fail, always the same ones.',
    default: new JsonNumber('0'),
  },
  {
    name: 'operationDelay',
    form: text({
      maxLength: MAX_DELAY_LENGTH,
      problem: (delay) =>
        parseOperationDelay(delay) === undefined
          ? 'must be a duration such as 200ms or 1.5s, or a range such as 100ms-2s, of at most 24h'
          : undefined,
    }),
    description: 'How long to wait before each answer.',
  },
  {
    name: 'urlForDispatchingEvents',
    form: webUrl,
    description: 'Where events are posted; absent: the last 1,000 are kept.',
  },
  {
    name: 'userCount',
    form: integer(0, 1_000_000),
    description: 'Number of generated users.',
    default: new JsonNumber('10'),
  },
  {
    name: 'pageSize',
    form: integer(1, 10_000),
    description: 'Users of a page.',
    default: new JsonNumber('100'),
  },
  { name: 'failures', form: failuresForm, description: 'Calls that fail on purpose.', default: [] },
);

/** The settings in the form in which each call needs them. */
export interface DummyConfig {
  readonly url: string | undefined;
  readonly delay: OperationDelay | undefined;
  /** Of 100 users that are written, how many fail. */
  readonly failPercentage: number;
  readonly userCount: number;
  readonly pageSize: number;
  readonly failures: readonly SimulatedFailure[];
}

export const dummyConfig = perSettings((settings: Settings): DummyConfig => {
  const delay = readOptionalText(settings, 'operationDelay');
  const url = readOptionalText(settings, 'urlForDispatchingEvents');
  return {
    url: url === undefined ? undefined : requestUrl(url),
    delay: delay === undefined ? undefined : parseOperationDelay(delay),
    failPercentage: readNumber(settings, 'customerExportFailPercentage'),
    userCount: readNumber(settings, 'userCount'),
    pageSize: readNumber(settings, 'pageSize'),
    failures: readObjects(settings, 'failures').map(readFailure),
  };
});
