import {
  MAX_ERROR_SAMPLES,
  MAX_RUN_ERRORS,
  OTHER_ERRORS,
  RUN_STEPS,
  type RunErrorGroup,
  type RunStep,
  type StepCounts,
} from '@penstock/contracts';
import type { SettledAs } from '@penstock/warehouses';
import type { RunErrorCode } from './run-error-codes';

/** Characters of an id that are kept. */
const MAX_SAMPLE_LENGTH = 256;

/** Characters of a message that are kept, in UTF-16 units. */
export const MAX_MESSAGE_LENGTH = 1_000;

/** Characters of all messages of a batch, which the log takes in one message, with six bytes for each. */
const MAX_CHARACTERS = 100_000;

/** The beginning of a message, without half of a character. */
const beginningOf = (message: string): string =>
  message.length <= MAX_MESSAGE_LENGTH
    ? message
    : message.slice(0, MAX_MESSAGE_LENGTH).replace(/[\ud800-\udbff]$/, '');

/** A record id as it stands among the examples of an error. */
export const sampleOf = (id: string): string => id.slice(0, MAX_SAMPLE_LENGTH);

/** Which of the steps a kind of run has: those that it has not stay 0. */
export type StepsOfKind = Readonly<Record<RunStep, boolean>>;

/** Every step. */
export const ALL_STEPS: StepsOfKind = {
  Receive: true,
  InputValidation: true,
  Filter: true,
  Transformation: true,
  OutputValidation: true,
  Finalize: true,
};

/** Why records failed, and which of them another reading of the run tells of otherwise. */
export interface TalliedErrors extends RunErrorGroup {
  /** Where the source has some of the records, at most {@link MAX_ERROR_SAMPLES}; absent: it has no such places. */
  readonly places?: readonly string[];
  /** What a function has thrown, by sample; it may hold values. */
  readonly texts?: ReadonlyMap<string, string>;
  /** Those of the count that nothing is known of later, since they have no readable id: every reading explains them anew. */
  readonly withoutId?: number;
  /** Those of the count that were explained again, since it is not known whether they were before. */
  readonly again?: number;
}

/** Why a record failed. */
interface Reason {
  readonly code: RunErrorCode;
  readonly message: string;
  readonly place?: string;
  readonly thrown?: string;
}

interface Group {
  readonly step: RunStep;
  readonly code: string;
  readonly message: string;
  count: number;
  withoutId: number;
  again: number;
  readonly samples: string[];
  readonly places: string[];
  texts?: Map<string, string>;
}

/** Of a record that had failed when a worker was lost, so that its reason was not recorded. */
export const INTERRUPTED = {
  code: 'Interrupted',
  message: 'failed in an attempt that was interrupted, and its reason is not on record',
} as const;

/** What the records of one batch count for. */
export class Tally {
  private readonly passedCounts = RUN_STEPS.map(() => 0);
  private readonly failedCounts = RUN_STEPS.map(() => 0);
  private readonly recountedCounts = RUN_STEPS.map(() => 0);
  private readonly groups = new Map<string, Group>();
  private readonly messages = new Map<RunStep, number>();
  private characters = 0;

  constructor(private readonly steps: StepsOfKind) {}

  /** Records that passed, by step. */
  get passed(): StepCounts {
    return this.passedCounts;
  }

  /** Records that ended, by step. */
  get failed(): StepCounts {
    return this.failedCounts;
  }

  /** Those that ended whose reasons an earlier reading has recorded, by step. */
  get recounted(): StepCounts {
    return this.recountedCounts;
  }

  /** Why records failed. */
  get errors(): readonly TalliedErrors[] {
    return [...this.groups.values()];
  }

  /** Counts a record in every step that it has passed, and in the one where it ended. */
  count(as: SettledAs): void {
    for (const [index, step] of RUN_STEPS.entries()) {
      if (step === as) {
        this.failedCounts[index] = (this.failedCounts[index] ?? 0) + 1;
        return;
      }
      if (this.steps[step]) this.passedCounts[index] = (this.passedCounts[index] ?? 0) + 1;
    }
  }

  /** Adds why a record failed. @param id absent: it cannot be read. */
  explain(step: RunStep, reason: Reason, id: string | null): void {
    const group = this.add(step, reason, id);
    if (id === null) group.withoutId += 1;
  }

  /** Adds why a record failed of which it is not known whether its reason is on record. */
  explainAgain(step: RunStep, reason: Reason, id: string): void {
    this.add(step, reason, id).again += 1;
  }

  /** A record has ended at a step, for a reason that an earlier reading has recorded. */
  recount(step: RunStep): void {
    const index = RUN_STEPS.indexOf(step);
    this.recountedCounts[index] = (this.recountedCounts[index] ?? 0) + 1;
  }

  private add(step: RunStep, reason: Reason, id: string | null): Group {
    const { code, message, place, thrown } = reason;
    const group = this.group(step, code, beginningOf(message));
    group.count += 1;
    if (id !== null && group.samples.length < MAX_ERROR_SAMPLES) {
      const sample = sampleOf(id);
      group.samples.push(sample);
      if (thrown !== undefined) (group.texts ??= new Map()).set(sample, thrown);
    }
    if (place !== undefined && group.places.length < MAX_ERROR_SAMPLES) group.places.push(place);
    return group;
  }

  private group(step: RunStep, code: string, message: string): Group {
    const key = JSON.stringify([step, code, message]);
    const known = this.groups.get(key);
    if (known !== undefined) return known;
    const count = this.messages.get(step) ?? 0;
    const isOther = code === OTHER_ERRORS.code && message === OTHER_ERRORS.message;
    const characters = this.characters + message.length;
    if ((count >= MAX_RUN_ERRORS || characters > MAX_CHARACTERS) && !isOther)
      return this.group(step, OTHER_ERRORS.code, OTHER_ERRORS.message);
    if (!isOther) {
      this.messages.set(step, count + 1);
      this.characters = characters;
    }
    const none = { count: 0, withoutId: 0, again: 0, samples: [], places: [] };
    const group: Group = { step, code, message, ...none };
    this.groups.set(key, group);
    return group;
  }
}
