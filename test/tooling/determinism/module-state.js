// No state that outlives a simulator: nothing at module level may change after the module was loaded.
// Building a table while the module loads is fine; a function that writes to it later is not.
// Allowed without ado: WeakMap and WeakSet, which is what memo tables keyed by frozen objects are.

import { birthOf, isReadonlyType, kindAt } from "./containers.js";
import { follow, globalReferences, isValue, isWritten, isWrittenByCall, nameOf, namesOf, widest } from "./values.js";

const ADVICE = "state belongs to one simulator";

export const noModuleState = {
  create(context) {
    const report = (node, message) => context.report({ node, message });
    return {
      "Program:exit"() {
        const names = namesOf(context.sourceCode);
        for (const variable of names.scopes.flatMap((scope) => scope.variables)) {
          if (isImport(variable)) judgeImport(names, variable, report);
          else if (livesAsLongAsTheModule(variable.scope)) judgeVariable(names, variable, report);
        }
        for (const reference of globalReferences(names)) judgeGlobal(names, reference, report);
      },
      PropertyDefinition: (node) => judgeStatic(node, report),
      AccessorProperty: (node) => judgeStatic(node, report),
    };
  },
};

function judgeVariable(names, variable, report) {
  const definition = variable.defs[0];
  const declaration = definition?.type === "Variable" ? definition.parent : undefined;
  if (declaration?.declare) return;
  if (declaration && declaration.kind !== "const") judgeRebinding(variable, declaration, report);
  else judgeConstant(names, variable, definition, report);
}

/** `let` and `var`: never at the top; inside a top-level block only while nothing writes to it later. */
function judgeRebinding(variable, declaration, report) {
  if (variable.scope.type === "module") {
    report(variable.identifiers[0], `${declaration.kind} ${variable.name} at module level can change; ${ADVICE}.`);
    return;
  }
  const late = variable.references.find((reference) => reference.isWrite() && runsLater(reference.identifier));
  if (late)
    report(late.identifier, `${variable.name} outlives the load of this module and is written here; ${ADVICE}.`);
}

function judgeConstant(names, variable, definition, report) {
  const init =
    definition?.type === "Variable" && definition.node.id.type === "Identifier" ? definition.node.init : null;
  const uses = { filledAtLoad: false, handedOn: isExported(definition), complained: false };
  for (const reference of variable.references) {
    if (reference.init || !isValue(reference)) continue;
    follow(names, reference.identifier, (use) => {
      const how = mutation(use, init);
      if (how && runsLater(use.node)) {
        uses.complained = true;
        report(use.node, `${variable.name} is module state: ${how} after the module was loaded; ${ADVICE}.`);
      }
      if (how) uses.filledAtLoad = true;
      else if (use.path.length === 0 && !isLookedInto(use)) uses.handedOn = true;
    });
  }
  if (init && !uses.complained) judgeContainer(variable, definition.node, uses, report);
}

/** A container that nobody is seen to change, but that others could. */
function judgeContainer(variable, declarator, { filledAtLoad, handedOn }, report) {
  const birth = birthOf(declarator.init);
  if (!birth || birth.frozen || isReadonlyType(declarator.id.typeAnnotation?.typeAnnotation, birth.kind)) return;
  const collection = birth.kind === "Map" || birth.kind === "Set";
  if (collection && handedOn) {
    report(declarator.id, `${variable.name} can be changed by whoever gets it; type it Readonly${birth.kind}.`);
  } else if (birth.empty && !filledAtLoad) {
    report(declarator.id, `${variable.name} starts empty at module level: to be filled later? ${ADVICE}.`);
  }
}

/** Another module's export must not be written to, whenever. */
function judgeImport(names, variable, report) {
  for (const reference of variable.references) {
    if (!isValue(reference)) continue;
    follow(names, reference.identifier, (use) => {
      const how = mutation(use, null);
      if (how && !isNamespaceCall(variable, use)) {
        report(use.node, `${variable.name} belongs to another module, and ${how} here; ${ADVICE}.`);
      }
    });
  }
}

/** `globalThis.x = 1`, `Array.prototype.x = f`. */
function judgeGlobal(names, reference, report) {
  follow(names, reference.identifier, (use) => {
    const written = (use.path.length > 0 && isWritten(use.outer, use.parent)) || isWrittenByCall(use.outer, use.parent);
    if (written) report(use.node, `${reference.identifier.name} is shared by the whole process; ${ADVICE}.`);
  });
}

function judgeStatic(node, report) {
  if (!node.static || node.declare) return;
  const name = `static ${String(nameOf(node))}`;
  if (!node.readonly || node.type === "AccessorProperty") {
    report(node.key, `${name} can change; make it readonly, or give it to one simulator.`);
    return;
  }
  const birth = node.value && birthOf(node.value);
  if (!birth || birth.frozen || isReadonlyType(node.typeAnnotation?.typeAnnotation, birth.kind)) return;
  report(
    node.key,
    `${name} is readonly, its content is not; type it Readonly${birth.kind === "Object" ? "" : birth.kind}.`,
  );
}

/** How this use changes the value, in words; undefined when it does not. */
function mutation({ outer, parent, path }, init) {
  if ((path.length > 0 && isWritten(outer, parent)) || isWrittenByCall(outer, parent)) return "it is written to";
  const method = path.at(-1);
  const called = parent.type === "CallExpression" && parent.callee === outer;
  if (!called || typeof method !== "string") return undefined;
  return kindAt(init, path.slice(0, -1)).mutators.has(method) ? `${method}() changes it` : undefined;
}

function isImport(variable) {
  return variable.defs[0]?.type === "ImportBinding";
}

/** `lists.push(x)` after `import * as lists` calls that module's function. */
function isNamespaceCall(variable, { path, parent }) {
  return (
    variable.defs[0].node.type === "ImportNamespaceSpecifier" && path.length === 1 && parent.type === "CallExpression"
  );
}

function isExported(definition) {
  return definition?.parent?.parent?.type === "ExportNamedDeclaration";
}

function isLookedInto({ outer, parent }) {
  if (parent.type === "MemberExpression") return parent.object === outer;
  return parent.type === "SpreadElement" || (parent.type === "ForOfStatement" && parent.right === outer);
}

/** Scopes that exist once per load: the module, its top-level blocks, class bodies, and functions called on the spot. */
function livesAsLongAsTheModule(scope) {
  for (let at = scope; at; at = at.upper) {
    if (at.type === "module") return true;
    if (at.type === "function" && !isCalledOnTheSpot(at.block)) return false;
    if (at.type === "class-field-initializer" && !isStaticField(at.block)) return false;
  }
  return false;
}

/** Whether this code runs when somebody calls, not when the module loads. */
function runsLater(node) {
  for (let at = node; at; at = at.parent) {
    if (isFunction(at) && !isCalledOnTheSpot(at)) return true;
    if (at.type === "PropertyDefinition" && !at.static) return true;
  }
  return false;
}

function isStaticField(block) {
  for (let at = block; at; at = at.parent) if (at.type === "PropertyDefinition") return at.static;
  return false;
}

function isFunction(node) {
  return /^(Arrow)?Function(Expression|Declaration)$/.test(node.type);
}

function isCalledOnTheSpot(node) {
  const outer = widest(node);
  return outer.parent?.type === "CallExpression" && outer.parent.callee === outer && !node.generator;
}
