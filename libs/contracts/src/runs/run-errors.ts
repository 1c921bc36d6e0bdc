/** Different messages of one step of a run that are kept apart; the rest is counted under {@link OTHER_ERRORS}. */
export const MAX_RUN_ERRORS = 100;

/** Ids of records that are kept of those with one message. */
export const MAX_ERROR_SAMPLES = 10;

/** Code and message of the records whose messages are too many to be kept apart. */
export const OTHER_ERRORS = { code: 'Other', message: 'other errors' } as const;
