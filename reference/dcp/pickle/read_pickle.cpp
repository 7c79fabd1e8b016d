// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/dcp/pickle/read_pickle.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace parity::reference {
namespace {

using Kind = PickleValue::Kind;

/// The machine that a pickle is a program of.
class PickleMachine {
 public:
  explicit PickleMachine(std::string_view bytes) : bytes_(bytes) {}

  Pickle run() {
    while (result_.root == nullptr)
      step(static_cast<uint8_t>(take(1)[0]));
    return std::move(result_);
  }

 private:
  std::string_view take(uint64_t count) {
    if (count > bytes_.size() - at_)
      throw FormatError("the pickle is cut short");
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }
  /// Reads an unsigned little-endian number.
  uint64_t number(uint64_t size) {
    uint64_t value = 0;
    const std::string_view digits = take(size);
    for (uint64_t i = 0; i < size; ++i)
      value |= static_cast<uint64_t>(static_cast<uint8_t>(digits[i])) << (8 * i);
    return value;
  }
  /// Reads a signed little-endian number of up to 8 bytes.
  int64_t signed_number(uint64_t size) {
    if (size > 8)
      throw FormatError("the pickle has a number of more than 64 bits");
    if (size == 0)
      return 0;
    const uint64_t shift = 64 - 8 * size;
    return static_cast<int64_t>(number(size) << shift) >> shift;
  }
  std::string_view line() {
    const size_t end = bytes_.find('\n', at_);
    if (end == std::string_view::npos)
      throw FormatError("the pickle is cut short");
    const std::string_view text = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return text;
  }

  PickleValue& make(Kind kind) {
    PickleValue& value = result_.values.emplace_back();
    value.kind = kind;
    return value;
  }
  PickleValue& push(Kind kind) {
    PickleValue& value = make(kind);
    stack_.push_back(&value);
    return value;
  }
  void push_integer(int64_t integer, Kind kind = Kind::integer) { push(kind).integer = integer; }
  void push_text(uint64_t size) { push(Kind::text).text = take(size); }

  /// Returns the values above the last mark, without removing them.
  size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
  PickleValue* top() const {
    if (stack_.size() <= floor())
      throw FormatError("the pickle takes a value from an empty stack");
    return stack_.back();
  }
  PickleValue* pop() {
    PickleValue* value = top();
    stack_.pop_back();
    return value;
  }
  std::vector<PickleValue*> pop_to_mark() {
    if (marks_.empty())
      throw FormatError("the pickle has no mark");
    const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<PickleValue*> values(first, stack_.end());
    stack_.erase(first, stack_.end());
    marks_.pop_back();
    return values;
  }
  void push_tuple(size_t count) {
    std::vector<PickleValue*> values(count);
    for (size_t i = count; i > 0; --i)
      values[i - 1] = pop();
    push(Kind::list).items.assign(values.begin(), values.end());
  }
  PickleValue* top_of(Kind kind) const {
    PickleValue* value = top();
    // A subclass of list or dict is an object, whose items are of no interest here.
    if (value->kind != kind && value->kind != Kind::object)
      throw FormatError("the pickle adds items to what has none");
    return value;
  }
  void append(const std::vector<PickleValue*>& values) {
    PickleValue* list = top_of(Kind::list);
    list->items.insert(list->items.end(), values.begin(), values.end());
  }
  void set_items(const std::vector<PickleValue*>& values) {
    PickleValue* dict = top_of(Kind::dict);
    if (values.size() % 2 != 0)
      throw FormatError("the pickle has a key without a value");
    for (size_t i = 0; i < values.size(); i += 2)
      dict->entries.emplace_back(values[i], values[i + 1]);
  }
  void push_global(std::string_view module, std::string_view name) {
    push(Kind::global).text = fmt::format("{}.{}", module, name);
  }
  /// \param has_keywords  as NEWOBJ_EX, whose keywords are dropped
  void push_object(bool has_keywords = false) {
    if (has_keywords)
      pop();
    const PickleValue* arguments = pop();
    const PickleValue* callee = pop();
    PickleValue& object = push(Kind::object);
    object.arguments = arguments;
    object.callee = callee;
  }
  void build() {
    const PickleValue* state = pop();
    top()->state = state;
  }
  void push_memo(uint64_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end())
      throw FormatError("the pickle refers to a value that it has not");
    stack_.push_back(found->second);
  }

  void step(uint8_t opcode);
  bool step_of_values(uint8_t opcode);
  bool step_of_containers(uint8_t opcode);
  bool step_of_memo(uint8_t opcode);

  std::string_view bytes_;
  size_t at_ = 0;
  std::vector<PickleValue*> stack_;
  std::vector<size_t> marks_;
  std::map<uint64_t, PickleValue*> memo_;
  Pickle result_;
};

bool PickleMachine::step_of_values(uint8_t opcode) {
  switch (opcode) {
    case 'N':
      push(Kind::none);
      return true;
    case 0x88:
      push_integer(1, Kind::boolean);
      return true;
    case 0x89:
      push_integer(0, Kind::boolean);
      return true;
    case 'J':
      push_integer(signed_number(4));
      return true;
    case 'K':
      push_integer(static_cast<int64_t>(number(1)));
      return true;
    case 'M':
      push_integer(static_cast<int64_t>(number(2)));
      return true;
    case 0x8a:
      push_integer(signed_number(number(1)));
      return true;
    case 'G':
      take(8), push(Kind::real);
      return true;
    case 'X':
      push_text(number(4));
      return true;
    case 0x8c:
      push_text(number(1));
      return true;
    case 0x8d:
      push_text(number(8));
      return true;
    case 'C':
      push_text(number(1));
      return true;
    case 'B':
      push_text(number(4));
      return true;
    case 0x8e:
      push_text(number(8));
      return true;
    default:
      return false;
  }
}

bool PickleMachine::step_of_containers(uint8_t opcode) {
  switch (opcode) {
    case '(':
      marks_.push_back(stack_.size());
      return true;
    case '}':
      push(Kind::dict);
      return true;
    case ']':
    case ')':
    case 0x8f:  // a set
      push(Kind::list);
      return true;
    case 0x85:
      push_tuple(1);
      return true;
    case 0x86:
      push_tuple(2);
      return true;
    case 0x87:
      push_tuple(3);
      return true;
    case 't':
    case 0x91: {
      const std::vector<PickleValue*> values = pop_to_mark();
      push(Kind::list).items.assign(values.begin(), values.end());
      return true;
    }
    case 'a':
      append({pop()});
      return true;
    case 'e':
    case 0x90:
      append(pop_to_mark());
      return true;
    case 's': {
      PickleValue* value = pop();
      set_items({pop(), value});
      return true;
    }
    case 'u':
      set_items(pop_to_mark());
      return true;
    default:
      return false;
  }
}

bool PickleMachine::step_of_memo(uint8_t opcode) {
  switch (opcode) {
    case 0x94:
      memo_[memo_.size()] = top();
      return true;
    case 'q': {
      const uint64_t place = number(1);
      memo_[place] = top();
      return true;
    }
    case 'r': {
      const uint64_t place = number(4);
      memo_[place] = top();
      return true;
    }
    case 'h':
      push_memo(number(1));
      return true;
    case 'j':
      push_memo(number(4));
      return true;
    default:
      return false;
  }
}

void PickleMachine::step(uint8_t opcode) {
  if (step_of_values(opcode) || step_of_containers(opcode) || step_of_memo(opcode))
    return;
  switch (opcode) {
    case 0x80:
      take(1);
      return;  // the protocol
    case 0x95:
      take(8);
      return;  // the size of a frame
    case 'c': {
      const std::string_view module = line();
      push_global(module, line());
      return;
    }
    case 0x93: {
      const PickleValue* name = pop();
      push_global(pop()->text, name->text);
      return;
    }
    case 'R':
    case 0x81:
      push_object();
      return;
    case 0x92:
      push_object(/*has_keywords=*/true);
      return;
    case 'b':
      build();
      return;
    case '0':
      pop();
      return;
    case '2':
      stack_.push_back(top());
      return;
    case '.':
      result_.root = pop();
      return;
    default:
      throw FormatError(fmt::format("the pickle has opcode {:#04x}, which metadata do not need", opcode));
  }
}

}  // namespace

Pickle read_pickle(std::string_view bytes) {
  return PickleMachine(bytes).run();
}

}  // namespace parity::reference
