/** Whether a refusal says that the gateway came too late to look at the log: nothing was done then. */
export const nothingWasDone = (status: number, text: string): boolean =>
  status === 503 && text.includes('the configuration cannot be read');
