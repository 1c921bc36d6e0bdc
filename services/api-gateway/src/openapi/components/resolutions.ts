import type { LatestResolution, ResolutionSettings, SharedValueView } from '@penstock/contracts';
import { BLOCKED_VALUES, EXAMPLE_SETTINGS } from '../../resolutions/resolution-settings.dto';
import {
  arrayOf,
  described,
  FLAG,
  INTEGER,
  type JsonSchema,
  object,
  oneOf,
  orNull,
  TEXT,
  TIME,
} from '../schema/json-schema';
import { withExample } from './answer';

const TRIGGERS = ['API', 'Import', 'Events', 'Settings', 'Schema', 'Repair', 'Erasure'];

const WARNING = object<keyof SharedValueView>({
  identifier: TEXT,
  value: described(TEXT, 'Held by more than 1,000 identities: it may be one to be blocked.'),
  identities: INTEGER,
});

export const RESOLUTIONS: Readonly<Record<string, JsonSchema>> = {
  LatestResolution: withExample(
    object<keyof LatestResolution>({
      startTime: orNull(described(TIME, 'Null: there was none.')),
      endTime: orNull(described(TIME, 'Null: it runs, or there was none.')),
      trigger: orNull(described(oneOf(TRIGGERS), 'What has asked for it.')),
      full: described(FLAG, 'Whether everything was computed anew.'),
      error: described(TEXT, 'Empty unless it failed.'),
      progress: orNull(object({ done: INTEGER, total: INTEGER })),
      identities: described(INTEGER, 'Changed identities that it has resolved.'),
      created: described(INTEGER, 'Profiles that it has made for new people.'),
      merged: described(INTEGER, 'Profiles that it has merged into others.'),
      split: described(INTEGER, 'Profiles that it has made of identities of others.'),
      deleted: described(INTEGER, 'Profiles that it has removed.'),
      pending: described(INTEGER, 'Identities that are changed now and not resolved yet.'),
      warnings: described(arrayOf(WARNING), 'Those that most share first.'),
    }),
    {
      startTime: '2026-03-01T09:30:00.000Z',
      endTime: '2026-03-01T09:30:01.000Z',
      trigger: 'Import',
      full: false,
      error: '',
      progress: null,
      identities: 1200,
      created: 900,
      merged: 12,
      split: 0,
      deleted: 0,
      pending: 0,
      warnings: [{ identifier: 'email', value: 'nobody@example.com', identities: 1040 }],
    },
  ),
  ResolutionSettings: withExample(
    object<keyof ResolutionSettings>({
      runOnBatchImport: described(FLAG, 'Whether identities are resolved after each import.'),
      eventDelay: orNull(
        described(
          INTEGER,
          'Seconds after the first identity in events that is not resolved. Null: not after events.',
        ),
      ),
      identifiers: described(
        arrayOf(TEXT),
        'Paths of properties of profiles, the one with the highest priority first.',
      ),
      blockedValues: BLOCKED_VALUES,
    }),
    EXAMPLE_SETTINGS,
  ),
};
