/** Creates an element with properties and children. Children are elements or text, never HTML: this prevents injection. */
export function element(tag, properties = {}, ...children) {
  const { data = {}, ...rest } = properties;
  const node = Object.assign(document.createElement(tag), rest);
  Object.assign(node.dataset, data);
  node.append(...children);
  return node;
}

export function find(selector, within = document) {
  return within.querySelector(selector);
}

/** `12:04:31.007` */
export function timeOf(date) {
  return `${date.toLocaleTimeString('en-GB')}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

/** The pid in the name of an owner, which is `<host>:<pid>:<random>`. */
export function pidOf(owner) {
  return owner?.split(':').at(-2) ?? '?';
}

/** Calls `act` on a click. */
export function onClick(selector, within, act) {
  find(selector, within).addEventListener('click', act);
}

export async function post(path, body = {}) {
  return answerOf(await fetch(path, { method: 'POST', headers: JSON_HEADERS, body: JSON.stringify(body) }));
}

export async function put(path, body = {}) {
  return answerOf(await fetch(path, { method: 'PUT', headers: JSON_HEADERS, body: JSON.stringify(body) }));
}

const JSON_HEADERS = { 'content-type': 'application/json' };

async function answerOf(response) {
  return { status: response.status, body: await response.json() };
}
