/**
 * Sends events to the demo's source and displays what became of the newest ones. Everything that is displayed is what
 * `/demo/events` answers; texts become text nodes and are never parsed as HTML. Values are JSON texts, since a browser
 * rounds long numbers.
 */
'use strict';

const SAMPLES = {
  cart: {
    type: 'track',
    event: 'Add to Cart',
    userId: 'Ada',
    properties: { item_name: 'tea pot', item_id: 42 },
  },
  page: { type: 'page', userId: 'Ada', name: 'Tea pots', properties: { path: '/tea-pots' } },
  wrong: {
    type: 'track',
    event: 'Add to Cart',
    userId: 'Ada',
    properties: { item_name: 'tea pot', item_id: 'forty-two' },
  },
};

const POLL_MS = 1000;

const byId = (id) => document.getElementById(id);

/** Creates an element with texts and elements in it. */
const element = (name, attributes, ...content) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...content);
  return made;
};

const text = (name, content, className = '') =>
  element(name, className === '' ? {} : { class: className }, content);

/** Indents a JSON text without reading its values. */
const indented = (json) => {
  let depth = 0;
  const line = () => `\n${'  '.repeat(depth)}`;
  const tokens = json.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  return tokens
    .map((token, index) => {
      const isEmpty = /[{[]/.test(tokens[index - 1] ?? '');
      if (token === '{' || token === '[') {
        depth += 1;
        return /[}\]]/.test(tokens[index + 1] ?? '') ? token : token + line();
      }
      if (token === '}' || token === ']') {
        depth -= 1;
        return isEmpty ? token : line() + token;
      }
      if (token === ',') return token + line();
      return token === ':' ? ': ' : token;
    })
    .join('');
};

const json = (source) => text('pre', indented(source));

const more = (title, content) => element('details', {}, text('summary', title), content);

const code = (content) => text('code', content);

/** A value of an event: JSON text, or nothing. */
const value = (source) => (source === undefined ? text('span', 'absent', 'quiet') : code(source));

const table = (heads, rows) => {
  const head = element('tr', {}, ...heads.map((name) => element('th', { scope: 'col' }, name)));
  const body = rows.map((cells) =>
    element('tr', {}, ...cells.map((cell) => element('td', {}, cell))),
  );
  return element('table', {}, element('thead', {}, head), element('tbody', {}, ...body));
};

const verdict = (holds) => text('span', holds ? '✓ holds' : '✗ fails', holds ? 'yes' : 'no');

const step = (title, ...content) => element('li', {}, text('h4', title), ...content);

const filterStep = ({ filter, matches, enabled }) => {
  if (!enabled) return step('Filter', text('p', 'The pipeline was disabled.', 'wait'));
  if (filter === null)
    return step('Filter', text('p', '✓ There is no filter: every event passes.', 'yes'));
  const words = filter.logical === 'and' ? 'All conditions must hold' : 'One condition must hold';
  const rows = filter.conditions.map(({ property, operator, operands, value: found, holds }) => [
    code(
      `${property} ${operator} ${operands.map((operand) => JSON.stringify(operand)).join(', ')}`,
    ),
    value(found),
    verdict(holds),
  ]);
  const failed = filter.conditions.filter(({ holds }) => !holds).map(({ property }) => property);
  const outcome = matches
    ? text('p', '✓ The event passes.', 'yes')
    : text('p', `✗ Filtered out by ${failed.join(', ')}.`, 'no');
  return step(
    'Filter',
    text('p', `${words}:`),
    table(['Condition', 'Value', 'Verdict'], rows),
    outcome,
  );
};

const mappingStep = ({ mapping, matches, enabled, language }) => {
  if (!matches || !enabled) return step('Mapping', text('p', 'Not reached.', 'quiet'));
  if (language !== null)
    return step('Function', text('p', `Values are computed by a function in ${language}.`));
  if (mapping === null) return step('Mapping', text('p', 'There is no mapping.', 'quiet'));
  const rows = mapping.values.map(({ property, expression, value: mapped }) => [
    code(property),
    code(expression),
    value(mapped),
  ]);
  const problem =
    mapping.error === null ? [] : [text('p', `✗ The mapping fails: ${mapping.error}`, 'no')];
  return step('Mapping', table(['Property', 'Expression', 'Value'], rows), ...problem);
};

const CLASSES = { Delivered: 'yes', Rejected: 'no', Filtered: 'no' };

const REQUESTS = { 0: 'not sent', 1: '1 request' };

const outcomeText = ({ state, code: reason, attempts, at, status }) => {
  const details = [
    reason === '' ? '' : `code ${reason}`,
    status === null ? '' : `HTTP status ${status}`,
    REQUESTS[attempts] ?? `${attempts} requests`,
    new Date(at).toLocaleTimeString(),
  ];
  return `${state}: ${details.filter((detail) => detail !== '').join(', ')}`;
};

const destinationStep = ({ matches, enabled, outcome, received }, { isRepeated }) => {
  const parts = [];
  if (outcome !== null)
    parts.push(text('p', outcomeText(outcome), CLASSES[outcome.state] ?? 'wait'));
  else if (isRepeated && matches && enabled)
    parts.push(text('p', 'Not delivered again: its message id was known.', 'quiet'));
  else if (matches && enabled)
    parts.push(text('p', 'No answer is recorded yet. It takes about a second.', 'wait'));
  else parts.push(text('p', 'Not reached.', 'quiet'));
  if (received !== null) parts.push(more('What the destination received', json(received)));
  return step('Destination', ...parts);
};

const pipelineOf = (pipeline, event) => {
  const { name, eventType, version } = pipeline;
  return element(
    'section',
    { class: 'pipeline' },
    element(
      'h3',
      {},
      `Pipeline ${name} `,
      text('span', `(${eventType}, version ${version})`, 'quiet'),
    ),
    element(
      'ol',
      { class: 'steps' },
      filterStep(pipeline),
      mappingStep(pipeline),
      destinationStep(pipeline, event),
    ),
  );
};

const MEMBERS = ['type', 'event', 'name', 'userId', 'receivedAt'];

/** Reads the members for the headline; numbers in the event are not used. */
const headline = (source) => {
  const event = JSON.parse(source);
  const [type = '', named, name, userId, receivedAt] = MEMBERS.map((member) => event[member]);
  const title = [type, named ?? name].filter((part) => part !== undefined).join(' · ');
  return element(
    'div',
    { class: 'headline' },
    text('h3', title),
    text('span', userId === undefined ? 'anonymous' : `user ${userId}`, 'quiet'),
    element('time', { datetime: receivedAt }, new Date(receivedAt).toLocaleTimeString()),
  );
};

const itemOf = (event) => {
  const none = text('p', 'The destination had no pipeline when this event was accepted.', 'quiet');
  const pipelines = event.pipelines.map((pipeline) => pipelineOf(pipeline, event));
  const optedOut =
    event.integrations === null
      ? []
      : [element('p', { class: 'quiet' }, 'integrations: ', code(event.integrations))];
  return element(
    'li',
    {},
    headline(event.event),
    ...optedOut,
    more('The event as it was accepted', json(event.event)),
    ...(pipelines.length === 0 ? [none] : pipelines),
  );
};

/** Displayed events: by id, the text that they were made of, and their elements. */
let displayed = new Map();

/** Replaces only what has changed, and keeps open what the reader has opened. */
const display = (events) => {
  const next = new Map();
  for (const event of events) {
    const source = JSON.stringify(event);
    const before = displayed.get(event.id);
    if (before?.source === source) next.set(event.id, before);
    else {
      const item = itemOf(event);
      const opened = [...(before?.item.querySelectorAll('details') ?? [])].map(({ open }) => open);
      item.querySelectorAll('details').forEach((part, index) => {
        part.open = opened[index] ?? false;
      });
      next.set(event.id, { source, item });
    }
  }
  const items = [...next.values()].map(({ item }) => item);
  const list = byId('events');
  if (items.some((item, index) => list.children[index] !== item) || items.length === 0)
    list.replaceChildren(...items);
  displayed = next;
};

/** Texts of a status are only replaced when they change: they are read aloud. */
const say = (id, words) => {
  if (byId(id).textContent !== words) byId(id).textContent = words;
};

const refresh = async () => {
  try {
    const answer = await fetch('/demo/events');
    if (!answer.ok) throw new Error(String(answer.status));
    const { events } = await answer.json();
    display(events);
    say('state', events.length === 0 ? 'No event yet: send one.' : 'The newest is at the top.');
  } catch {
    say('state', 'Penstock does not answer; trying again …');
  }
};

const poll = async () => {
  if (document.visibilityState !== 'hidden') await refresh();
  setTimeout(poll, POLL_MS);
};

/** What intake answered, in words. */
const answerText = async (answer) => {
  const { accepted, warnings, error } = await answer.json();
  if (error !== undefined) {
    const details = (error.details ?? []).map(({ path, message }) => ` ${path} ${message}`.trim());
    return [`${answer.status}: ${error.message}`, ...details].join('; ');
  }
  const left = (warnings ?? []).map(({ path, message }) => `; ${path} ${message}`).join('');
  return `${answer.status}: ${accepted} accepted${left}`;
};

const send = async (body) => {
  const { writeKey } = await (await fetch('/demo/source')).json();
  if (writeKey === null) return 'There is no source to send it to: link one to the destination.';
  const headers = { Authorization: `Bearer ${writeKey}`, 'Content-Type': 'application/json' };
  return answerText(await fetch('/v1/events', { method: 'POST', headers, body }));
};

const submit = async () => {
  byId('send').disabled = true;
  say('answer', 'Sending …');
  try {
    say('answer', await send(byId('body').value));
  } catch {
    say('answer', 'Penstock does not answer.');
  }
  byId('send').disabled = false;
  await refresh();
};

const fill = (name) => {
  byId('body').value = JSON.stringify(SAMPLES[name], null, 2);
};

byId('form').addEventListener('submit', (event) => {
  event.preventDefault();
  void submit();
});
for (const button of document.querySelectorAll('[data-sample]'))
  button.addEventListener('click', () => fill(button.dataset.sample));
fill('cart');
void poll();
