/** In place of reasons of steps that may quote values of the event, or what a function has thrown. */
export const WITHOUT_VALUES: Readonly<Record<string, string>> = {
  InputValidation: 'the event does not fit',
  Transformation: 'the transformation failed',
  OutputValidation: 'the result of the transformation does not fit its schema',
};

/** The part of a reason that quotes nothing: what a destination has answered begins after `: `. */
export const shortReason = (step: string | null, reason: string): string =>
  WITHOUT_VALUES[step ?? ''] ?? reason.split(': ', 1).join('');
