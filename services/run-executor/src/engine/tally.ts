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

interface Group {
  readonly step: RunStep;
  readonly code: string;
  readonly message: string;
  count: number;
  readonly samples: string[];
}

/** What the records of one batch count for. */
export class Tally {
  private readonly passedCounts = RUN_STEPS.map(() => 0);
  private readonly failedCounts = RUN_STEPS.map(() => 0);
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

  /** Why records failed. */
  get errors(): readonly RunErrorGroup[] {
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
  explain(step: RunStep, { code, message }: { code: string; message: string }, id: string | null) {
    const group = this.group(step, code, beginningOf(message));
    group.count += 1;
    if (id !== null && group.samples.length < MAX_ERROR_SAMPLES) group.samples.push(sampleOf(id));
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
    const group: Group = { step, code, message, count: 0, samples: [] };
    this.groups.set(key, group);
    return group;
  }
}
