import { isIdForm, Refusal } from '@penstock/contracts';

/** The id in a path. @throws Refusal PipelineNotExist for what no pipeline can be called. */
export const pipelineId = (text: string): string => {
  if (!isIdForm(text)) throw new Refusal('PipelineNotExist');
  return text;
};
