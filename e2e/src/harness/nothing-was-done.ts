/** Whether a refusal means that the gateway could not read the log in time: nothing was executed then. */
export const nothingWasDone = (status: number, text: string): boolean =>
  status === 503 && text.includes('the configuration cannot be read');
