/** A secret as it is, and as URLs and JSON texts hold it. */
export const secretForms = (secret: string): readonly string[] => [
  secret,
  encodeURIComponent(secret),
  JSON.stringify(secret).slice(1, -1),
];
