import { parser as saxParser, type SAXParser } from 'sax';
import { textOf } from '../content/text-of';
import { FileFault } from '../content/file-fault';

/** What is told about the elements of an XML text. Names are without their prefixes. */
export interface XmlListener {
  onOpen(name: string, attributes: Readonly<Record<string, string>>): void;
  onText(text: string): void;
  onClose(name: string): void;
}

/** Elements within each other. Those of the parts of a workbook that are read are about ten. */
const MAX_DEPTH = 64;
/** Attributes of an element. */
const MAX_ATTRIBUTES = 1_000;

/** The names of elements have prefixes in files of some writers. */
const local = (name: string): string => name.slice(name.indexOf(':') + 1);

/** The parser keeps every open element, and all attributes of the one that it reads, in memory. */
const checkSize = (depth: number, attributes: number): void => {
  if (depth > MAX_DEPTH)
    throw new FileFault(
      'InvalidFile',
      `holds XML of more than ${String(MAX_DEPTH)} nested elements`,
    );
  if (attributes > MAX_ATTRIBUTES)
    throw new FileFault(
      'InvalidFile',
      `holds an XML element of more than ${String(MAX_ATTRIBUTES)} attributes`,
    );
};

const listening = (listener: XmlListener): SAXParser => {
  const sax = saxParser(true, { trim: false, normalize: false, position: false });
  let depth = 0;
  let attributesSeen = 0;
  sax.onattribute = () => {
    attributesSeen += 1;
    checkSize(depth, attributesSeen);
  };
  sax.onopentag = ({ name, attributes }) => {
    attributesSeen = 0;
    depth += 1;
    checkSize(depth, attributesSeen);
    listener.onOpen(local(name), attributes as Readonly<Record<string, string>>);
  };
  sax.onclosetag = (name) => {
    depth -= 1;
    listener.onClose(local(name));
  };
  sax.ontext = (text) => {
    listener.onText(text);
  };
  sax.oncdata = (text) => {
    listener.onText(text);
  };
  sax.onerror = (cause) => {
    throw new FileFault('InvalidFile', 'is damaged: it is not well-formed XML', { cause });
  };
  return sax;
};

/**
 * Tells the listener about an XML text of any size, and pauses between its pieces. Entities of the text's own are
 * refused.
 *
 * @throws FileFault InvalidFile when it is not well-formed, or beyond a limit; what the listener throws.
 */
export async function* xmlEvents(
  bytes: AsyncIterable<Uint8Array>,
  listener: XmlListener,
): AsyncGenerator<undefined> {
  const sax = listening(listener);
  for await (const text of textOf(bytes)) {
    sax.write(text);
    yield undefined;
  }
  sax.close();
  yield undefined;
}

/** {@link xmlEvents} to the end. */
export const readXml = async (
  bytes: AsyncIterable<Uint8Array>,
  listener: XmlListener,
): Promise<void> => {
  const events = xmlEvents(bytes, listener);
  while ((await events.next()).done !== true);
};
