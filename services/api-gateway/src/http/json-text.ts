/** An answer of which the JSON is at hand as text, so that nothing is parsed to be written again. */
export class JsonText {
  constructor(readonly text: string) {}
}

/** An object of an answer. @param members JSON texts by names of ours, which need no escape. */
export const objectText = <Name extends string>(
  members: Readonly<Record<Name, string>>,
): string => {
  let text = '';
  for (const name in members) text += `${text && ','}"${name}":${members[name]}`;
  return `{${text}}`;
};
